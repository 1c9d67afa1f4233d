import { Hono } from "hono";
import type { FC } from "hono/jsx";
import { clockOf } from "../core/clock.ts";
import { VERSION } from "../core/version.ts";
import { identityIn, signingKey } from "../fetch/request/identity.ts";
import { DIRECTORY_PATH } from "../fetch/request/key-directory.ts";
import { productToken } from "../robots/product-token.ts";
import { Bare, render } from "./layout.tsx";
import { contactOf } from "./new-crawl/contact.ts";
import type { Console } from "./page-context.ts";
import { Time } from "./parts/numbers.tsx";

/** The page about the crawler, for owners of sites that it visits. It needs no token and no script. */
export const aboutCrawlerRoutes = new Hono<Console>();

export const ABOUT_PATH = "/about-this-crawler";

aboutCrawlerRoutes.get(ABOUT_PATH, (c) => {
  const { USER_AGENT, CONTACT } = c.env;
  const token = productToken(USER_AGENT);
  const identity = identityIn(c.env);
  const signing = identity === null ? null : signingKey(identity, clockOf(c.env).now()).id;
  const page = (
    <Bare title="About this crawler" hasScripts={false}>
      <h1>About this crawler</h1>
      <p>
        A web crawler that runs at this address has visited your site: Orbweaver, version {VERSION}. Its operator
        decides which sites it visits, and what is done with the pages.
      </p>
      <section class="panel">
        <h2>How to recognise it</h2>
        <p>Unless the operator says otherwise for a crawl, every request has this header:</p>
        <pre>User-Agent: {USER_AGENT}</pre>
        <p>
          Other programs can send the same header.{" "}
          {identity === null
            ? "This installation does not sign its requests, so nothing proves that a request is its own."
            : "A signature shows which requests are its own."}
        </p>
      </section>
      {identity !== null && (
        <section class="panel" id="signature">
          <h2>How to verify it</h2>
          <p>
            Every request of the crawler is signed as{" "}
            <a href="https://datatracker.ietf.org/doc/draft-ietf-webbotauth-httpsig-protocol/">Web Bot Auth</a>{" "}
            describes: with the headers <code>Signature-Agent</code>, <code>Signature-Input</code> and{" "}
            <code>Signature</code> (<a href="https://www.rfc-editor.org/rfc/rfc9421">RFC 9421</a>). A request without a
            valid signature is not from here.
          </p>
          <ul>
            <li>
              <code>Signature-Agent</code> names <code>{identity.address}</code>
            </li>
            <li>
              The public keys: <a href={DIRECTORY_PATH}>{`${identity.address}${DIRECTORY_PATH}`}</a>
            </li>
            {identity.keys.map(({ id, since }) => (
              <li>
                <code>keyid="{id}"</code>, made <Time at={new Date(since).toISOString()} />
                {id === signing ? ", in use" : ""}
              </li>
            ))}
          </ul>
        </section>
      )}
      <section class="panel">
        <h2>How to keep it out, or slow it down</h2>
        <p>
          The crawler reads <code>/robots.txt</code> before anything else of a site, and again within a day. These lines
          keep it out of your site:
        </p>
        <pre>{`User-agent: ${token === "" ? "*" : token}\nDisallow: /`}</pre>
        <p>These lines let it in, with a pause of ten seconds between two requests:</p>
        <pre>{`User-agent: ${token === "" ? "*" : token}\nCrawl-delay: 10`}</pre>
        <p>
          Without them it sends one request at a time and rests between requests, longer where your server is slow. It
          stops for as long as a 429 or 503 with <code>Retry-After</code> asks. It obeys <code>noindex</code> and{" "}
          <code>nofollow</code> of a page unless the operator says otherwise for a crawl, and{" "}
          <code>Content-Signal</code> lines of robots.txt. It solves no challenges and pays no prices: such a page is
          left alone.
        </p>
      </section>
      <section class="panel" id="contact">
        <h2>Contact</h2>
        <Contact contact={contactOf(CONTACT, USER_AGENT)} />
      </section>
    </Bare>
  );
  c.header("cache-control", "public, max-age=3600");
  return render(c, page);
});

const Contact: FC<{ contact: ReturnType<typeof contactOf> }> = ({ contact }) =>
  contact === null ? (
    <p>The operator of this installation has not named an address.</p>
  ) : (
    <p>
      The operator: <a href={contact.href}>{contact.text}</a>
    </p>
  );
