import { html } from "hono/html";
import type { Child, FC, PropsWithChildren } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { VERSION } from "../core/version.ts";
import type { PageContext } from "./page-context.ts";

/** The frame of every page: head, navigation and footer. */

/** The main navigation. */
const SECTIONS = [
  { name: "crawls", href: "/crawls", text: "Crawls" },
  { name: "schedules", href: "/schedules", text: "Schedules" },
  { name: "sessions", href: "/sessions", text: "Sessions" },
  { name: "search", href: "/search", text: "Search" },
] as const;
type Section = (typeof SECTIONS)[number]["name"];

interface PageProps {
  title: string;
  c: PageContext;
  section?: Section;
  /** Modules of public/console/ that this page runs besides `page.js`. */
  scripts?: readonly string[];
  /** Style sheets of public/console/ besides `console.css`. */
  styles?: readonly string[];
}

export const Page: FC<PropsWithChildren<PageProps>> = ({ title, c, section, scripts = [], styles = [], children }) => (
  <Document title={title} scripts={scripts} styles={styles}>
    <header class="top">
      <div class="bar">
        <Wordmark />
        <nav aria-label="Main">
          {SECTIONS.map(({ name, href, text }) => (
            <a href={href} aria-current={name === section ? "page" : undefined}>
              {text}
            </a>
          ))}
        </nav>
        <div class="session">
          {c.get("access") === "read" && <span class="tag">Read-only</span>}
          <form method="post" action="/sign-out">
            <button class="link" type="submit">
              Sign out
            </button>
          </form>
        </div>
      </div>
    </header>
    <main id="main" tabindex={-1}>
      {children}
    </main>
    <Footer />
  </Document>
);

/** A page for visitors who are not signed in. */
export const Bare: FC<
  PropsWithChildren<Pick<PageProps, "title" | "scripts" | "styles"> & { refresh?: string; hasScripts?: boolean }>
> = ({ refresh, children, ...document }) => (
  <Document {...document} {...(refresh === undefined ? {} : { refresh })}>
    <header class="top bare">
      <div class="bar">
        <Wordmark />
      </div>
    </header>
    <main id="main" tabindex={-1}>
      {children}
    </main>
    <Footer />
  </Document>
);

/** The title of a page, a link to its parent, and its actions. */
export const Heading: FC<PropsWithChildren<{ title: Child; back?: { href: string; text: string } }>> = ({
  title,
  back,
  children,
}) => (
  <div class="heading">
    <div>
      {back !== undefined && (
        <p class="back">
          <a href={back.href}>{back.text}</a>
        </p>
      )}
      <h1>{title}</h1>
    </div>
    {children !== undefined && <div class="actions">{children}</div>}
  </div>
);

/** `live.js` shows here that the page cannot be updated at the moment. */
export const Stale: FC = () => <p id="stale" class="notice problem" role="status" hidden />;

export function render(c: PageContext, page: Child, status: ContentfulStatusCode = 200): Response | Promise<Response> {
  return c.html(html`<!doctype html>${page}`, status);
}

interface DocumentProps {
  title: string;
  scripts?: readonly string[];
  styles?: readonly string[];
  refresh?: string;
  hasScripts?: boolean;
}

const Document: FC<PropsWithChildren<DocumentProps>> = ({
  title,
  scripts = [],
  styles = [],
  refresh,
  hasScripts = true,
  children,
}) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      {refresh !== undefined && <meta http-equiv="refresh" content={`0; url=${refresh}`} />}
      <title>{`${title} · Orbweaver`}</title>
      <link rel="icon" href="/console/icon.svg" type="image/svg+xml" />
      {["console.css", ...styles].map((file) => (
        <link rel="stylesheet" href={`/console/${file}`} />
      ))}
      {(hasScripts ? ["page.js", ...scripts] : []).map((file) => (
        <script type="module" src={`/console/${file}`} />
      ))}
    </head>
    <body>
      <a class="skip" href="#main">
        Skip to content
      </a>
      {children}
    </body>
  </html>
);

const Wordmark: FC = () => (
  <a class="wordmark" href="/">
    <img src="/console/icon.svg" alt="" width="22" height="22" />
    Orbweaver
  </a>
);

const Footer: FC = () => (
  <footer class="foot">
    <p>
      Orbweaver {VERSION} · <a href="/docs">API</a> · <a href="/agents">Agents</a> ·{" "}
      <a href="/about-this-crawler">About this crawler</a>
    </p>
  </footer>
);
