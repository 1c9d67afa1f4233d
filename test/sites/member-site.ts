import type { IncomingMessage, ServerResponse } from "node:http";
import { HTML } from "./handmade-site.ts";
import { type Site, startSite } from "./site.ts";

/** A site for members, with a log-in of its own that a browser can do: many kinds of it, and ways in which it ends. */

export const USER = "ann@members.test";
export const PASSWORD = "pAssw0rd&of=Ann";
export const PATHS = ["/1", "/2", "/3", "/4", "/5", "/6"];

/** What a site has done and seen. */
export interface Members {
  site: Site;
  /** The tokens that count now. */
  valid: Set<string>;
  /** Successful log-ins. */
  logIns: number;
  /** Pages that were given to members, in order. */
  given: string[];
  /** Requests, as `METHOD PATH`. */
  asked: string[];
  /** Ends all sessions, as an expiry does. */
  expire(): void;
}

interface Stranger {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

export interface MemberKind {
  host?: string;
  /** How a browser logs in: a form, JSON by a script, or in two pages. Default: form. */
  form?: "form" | "json" | "two-pages" | "get" | "spa";
  /** Whether the form has a token that its cookie must confirm. */
  csrf?: boolean;
  /** Where sessions stand. Default: a cookie. */
  kept?: "cookie" | "script-cookie" | "domain-cookie";
  /** After so many pages of a session, it ends. */
  pagesPerSession?: number;
  /** Each answer gives a new token, and takes the one before no more. */
  rotates?: boolean;
  /** A new log-in ends those before. */
  oneAtATime?: boolean;
  /** What strangers get. Default: a redirect to the log-in. */
  stranger?: (path: string) => Stranger;
  /** A check box without which the session lasts for one page. */
  remembers?: boolean;
  /** What the log-in asks beside the password. */
  asks?: "code" | "captcha";
  /** Where the log-in is, if elsewhere: the origin of a single sign-on, which leads back with a ticket. */
  signOn?: () => string;
  robots?: string;
}

const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body>${body}</body></html>`;

const cookiesOf = ({ headers }: IncomingMessage): Map<string, string> =>
  new Map(
    (headers.cookie ?? "").split("; ").map((pair): [string, string] => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}

export async function startMembers(kind: MemberKind = {}): Promise<Members> {
  const valid = new Set<string>();
  const pages = new Map<string, number>();
  let made = 0;
  const members: Members = {
    site: undefined as unknown as Site,
    ...{ valid, logIns: 0, given: [], asked: [] },
    expire: () => valid.clear(),
  };

  const begin = (lasting: boolean): string => {
    if (kind.oneAtATime) valid.clear();
    const token = `token-${++made}-${Math.random().toString(36).slice(2)}`;
    valid.add(token);
    pages.set(token, lasting ? (kind.pagesPerSession ?? Number.POSITIVE_INFINITY) : 1);
    members.logIns += 1;
    return token;
  };
  const setSid = (token: string): string =>
    kind.kept === "domain-cookie" ? `sid=${token}; Path=/; Domain=localhost; HttpOnly` : `sid=${token}; Path=/`;

  const logInPage = (response: ServerResponse, problem = "", back = "") => {
    const csrf = `csrf-${Math.random().toString(36).slice(2)}`;
    const token = kind.csrf ? `<input type="hidden" name="csrf" value="${csrf}">` : "";
    const leadsBack = back === "" ? "" : `<input type="hidden" name="back" value="${back}">`;
    const remember = kind.remembers
      ? '<label><input type="checkbox" name="remember" id="remember"> Remember me</label>'
      : "";
    const fields =
      kind.form === "two-pages"
        ? '<input name="user" id="user">'
        : `<input name="user" id="user"><input type="password" name="password" id="password">${remember}`;
    const script =
      kind.form === "json" || kind.form === "spa"
        ? `<script>document.forms[0].addEventListener("submit", async (event) => {
            event.preventDefault();
            const [user, password] = ["user", "password"].map((id) => document.getElementById(id).value);
            const headers = { "content-type": "application/json", "x-csrf": "${csrf}" };
            const answer = await fetch("/api/login", { method: "POST", headers, body: JSON.stringify({ user, password }) });
            const said = await answer.json();
            if (!answer.ok) return void (document.getElementById("problem").textContent = said.problem);
            if (said.token) document.cookie = "sid=" + said.token + "; path=/";
            ${kind.form === "spa" ? 'document.body.innerHTML = "<a class=log-out href=#>Log out</a>"; history.pushState({}, "", "/");' : 'location.href = "/";'}
          })</script>`
        : "";
    const method = kind.form === "get" ? "get" : "post";
    response.writeHead(problem === "" ? 200 : 403, {
      ...HTML,
      ...(kind.csrf ? { "set-cookie": `csrf=${csrf}; Path=/; HttpOnly` } : {}),
    });
    response.end(
      page(
        "Log in",
        `<h1>Log in</h1><p id="problem">${problem}</p><form method="${method}" action="/session/new">${fields}${token}${leadsBack}<button id="go">Log in</button></form>${script}`,
      ),
    );
  };

  const lead = (response: ServerResponse, token: string) => {
    response.writeHead(302, { location: "/", "set-cookie": setSid(token) }).end();
  };

  const tryForm = (request: IncomingMessage, response: ServerResponse, given: URLSearchParams) => {
    if (kind.csrf && (given.get("csrf") ?? "-") !== cookiesOf(request).get("csrf")) {
      logInPage(response, "Your form has expired");
      return;
    }
    if (kind.form === "two-pages" && !given.has("password")) {
      response.writeHead(200, { ...HTML, "set-cookie": `step=${encodeURIComponent(given.get("user") ?? "")}; Path=/` });
      return void response.end(
        page(
          "Password",
          '<form method="post" action="/session/new"><input type="password" name="password" id="password"><button id="go">Go on</button></form>',
        ),
      );
    }
    const user = given.get("user") ?? decodeURIComponent(cookiesOf(request).get("step") ?? "");
    if (user !== USER || given.get("password") !== PASSWORD) {
      logInPage(response, "Wrong password");
      return;
    }
    if (kind.asks === "code") {
      response.writeHead(200, HTML);
      return void response.end(
        page(
          "Code",
          '<form method="post" action="/code"><input name="otp" autocomplete="one-time-code"><button>Go</button></form>',
        ),
      );
    }
    if (kind.asks === "captcha") {
      response.writeHead(200, HTML);
      return void response.end(
        page("Robot?", '<div class="g-recaptcha" style="width:300px;height:70px">I am no robot</div>'),
      );
    }
    const back = given.get("back");
    if (back !== null) {
      members.logIns += 1;
      response.writeHead(302, { location: `${back}?t=good` }).end();
      return;
    }
    lead(response, begin(!kind.remembers || given.has("remember")));
  };

  members.site = await startSite(
    async (request, response) => {
      const url = new URL(request.url ?? "/", "http://x");
      const path = url.pathname;
      members.asked.push(`${request.method} ${path}`);
      if (path === "/robots.txt")
        return void (kind.robots === undefined ? response.writeHead(404) : response.writeHead(200)).end(
          kind.robots ?? "",
        );
      if (path.startsWith("/sitemap") || path === "/favicon.ico") return void response.writeHead(404).end();
      if (path === "/login") {
        const elsewhere = kind.signOn?.();
        if (elsewhere === undefined) return logInPage(response);
        return void response.writeHead(302, { location: `${elsewhere}/sso?back=${members.site.origin}/ticket` }).end();
      }
      if (path === "/sso") return logInPage(response, "", url.searchParams.get("back") ?? "");
      if (path === "/ticket" && url.searchParams.get("t") === "good") return lead(response, begin(true));
      if (path === "/session/new") {
        const given = request.method === "POST" ? new URLSearchParams(await bodyOf(request)) : url.searchParams;
        return tryForm(request, response, given);
      }
      if (path === "/api/login") {
        const { user, password } = JSON.parse((await bodyOf(request)) || "{}");
        response.setHeader("content-type", "application/json");
        if (
          user !== USER ||
          password !== PASSWORD ||
          (kind.csrf && request.headers["x-csrf"] !== cookiesOf(request).get("csrf"))
        )
          return void response.writeHead(401).end('{"problem":"Wrong password"}');
        const token = begin(true);
        if (kind.kept !== "script-cookie") response.setHeader("set-cookie", setSid(token));
        return void response.end(JSON.stringify(kind.kept === "script-cookie" ? { token } : {}));
      }
      const sid = cookiesOf(request).get("sid") ?? "";
      const left = valid.has(sid) ? (pages.get(sid) ?? 0) : 0;
      if (left <= 0) {
        valid.delete(sid);
        const { stranger = (from): Stranger => ({ status: 302, headers: { location: `/login?next=${from}` } }) } = kind;
        const { status, headers = HTML, body = "" } = stranger(path);
        return void response.writeHead(status, headers).end(body);
      }
      pages.set(sid, left - 1);
      members.given.push(path);
      let set = {};
      if (kind.rotates) {
        const next = `turn-${++made}`;
        valid.delete(sid);
        valid.add(next);
        pages.set(next, left - 1);
        set = { "set-cookie": setSid(next) };
      }
      response.writeHead(200, { ...HTML, ...set });
      const links = path === "/" ? PATHS.map((to) => `<a href="${to}">${to}</a>`).join(" ") : "";
      response.end(
        page(
          `Page ${path}`,
          `<nav><a class="log-out" href="#">Log out</a></nav><main><h1>Page ${path}</h1><p>What only members read on ${path}, in a sentence of its own.</p>${links}</main>`,
        ),
      );
    },
    { host: kind.host ?? "127.0.0.1" },
  );
  return members;
}

/** The steps that fit the site. */
export function stepsOf({ site }: Members, kind: MemberKind = {}): object[] {
  const user = { fill: "#user", with: "MEMBER" };
  const password = { fill: "#password", with: "MEMBER_PASSWORD" };
  const go = { click: "#go" };
  return [
    { open: `${site.origin}/login` },
    ...(kind.form === "two-pages" ? [user, go, password] : [user, password]),
    ...(kind.remembers ? [{ click: "#remember" }] : []),
    go,
    { waitFor: "a.log-out" },
  ];
}
