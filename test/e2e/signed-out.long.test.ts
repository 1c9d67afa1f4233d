import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import type { CrawlDetail, RecordView } from "../../src/api/views.ts";
import { HTML } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { allowPrivateHosts } from "./allow-private.ts";
import { callApi, untilIdle } from "./api-calls.ts";
import { SECRET, startReceiver } from "./receiver.ts";
import { shareServer } from "./served-sites.ts";

allowPrivateHosts();

/**
 * Sessions that end, in the ways of many sites: nothing that a stranger gets is stored, no page is lost, and none is
 * there twice.
 */

const shared = shareServer();

/** What a request has of a session, and the pages that were given to whoever is signed in. */
interface Flow {
  /** The session that counts now; null if none does. */
  valid: string | null;
  /** Pages that were given, in order. */
  given: string[];
  /** Paths that strangers have asked for. */
  refused: string[];
}

interface Kind {
  host?: string;
  /** What a stranger gets. */
  stranger(path: string): { status: number; headers?: Record<string, string>; body?: string };
  /** What a page has beside its text, for the one who is signed in. */
  answer?(flow: Flow): Record<string, string>;
  carries?(request: IncomingMessage): string | null;
  /** After so many pages, the session ends. */
  endsAfter?: number;
  /** Paths beside /1 to /6. */
  extra?: Record<string, { status?: number; headers?: Record<string, string>; body?: string }>;
}

const PATHS = ["/1", "/2", "/3", "/4", "/5", "/6"];
const LOG_IN = `<!doctype html><html lang="en"><head><title>Log in</title></head><body><h1>Log in</h1><form method="post" action="/login"><input name="user"><input type="password" name="p"></form></body></html>`;
const GREETING = `<!doctype html><html lang="en"><head><title>Welcome</title></head><body><h1>Welcome, stranger</h1><p>Read what everybody may read.</p></body></html>`;

const cookieOf = ({ headers }: IncomingMessage) => /(?:^|; )sid=([^;]+)/.exec(headers.cookie ?? "")?.[1] ?? null;
const tokenOf = ({ headers }: IncomingMessage) => /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? null;

function own(path: string, links: readonly string[]): string {
  const list = links.map((link) => `<a href="${link}">${link}</a>`).join(" ");
  return `<!doctype html><html lang="en"><head><title>Page ${path}</title></head><body><nav><a class="log-out" href="#">Log out</a></nav><main><h1>Page ${path}</h1><p>What only members read on ${path}, in a sentence of its own.</p>${list}</main></body></html>`;
}

async function siteOf(kind: Kind, flow: Flow): Promise<Site> {
  const { carries = cookieOf, extra = {} } = kind;
  const links = [...PATHS, ...Object.keys(extra)];
  let ended = false;
  const site = await startSite(
    (request, response) => {
      const path = request.url ?? "/";
      if (path === "/robots.txt" || path.startsWith("/sitemap")) return void response.writeHead(404).end();
      if (!ended && kind.endsAfter !== undefined && flow.given.length >= kind.endsAfter) {
        ended = true;
        flow.valid = null;
      }
      const isMember = flow.valid !== null && carries(request) === flow.valid;
      if (!isMember) {
        flow.refused.push(path);
        const {
          status,
          headers = HTML,
          body = "",
        } = path === "/login" ? { status: 200, body: LOG_IN } : kind.stranger(path);
        return void response.writeHead(status, headers).end(body);
      }
      flow.given.push(path);
      const headers = kind.answer?.(flow) ?? {};
      const found = extra[path];
      if (found !== undefined)
        return void response
          .writeHead(found.status ?? 200, { ...HTML, ...headers, ...found.headers })
          .end(found.body ?? own(path, []));
      response.writeHead(200, { ...HTML, ...headers }).end(own(path, path === "/" ? links : []));
    },
    { host: kind.host ?? "127.0.0.1" },
  );
  shared.sites.push(site);
  return site;
}

const newFlow = (valid: string | null): Flow => ({ valid, given: [], refused: [] });

async function bring(name: string, hosts: string[], value: string, isHeader = false): Promise<void> {
  await callApi(shared.served, "POST", "/api/sessions", {
    ...{ name, hosts },
    ...(isHeader
      ? { headers: [{ name: "Authorization", value: `Bearer ${value}` }] }
      : { cookies: hosts.map((host) => ({ name: "sid", value, domain: host.replace(/:\d+$/, "") })) }),
  });
}

async function begin(urls: string[], session: string, more: object = {}): Promise<string> {
  const { id } = await callApi<{ id: string }>(shared.served, "POST", "/api/crawls", {
    ...{ urls, session, limit: 100, source: "links", politeness: { minDelayMs: 0 } },
    ...more,
  });
  return id;
}

/** The crawl once it neither runs nor is about to. */
async function rested(id: string): Promise<CrawlDetail> {
  await expect
    .poll(async () => (await callApi<CrawlDetail>(shared.served, "GET", `/api/crawls/${id}`)).status, { interval: 50 })
    .not.toBe("running");
  await untilIdle(shared.served);
  return callApi<CrawlDetail>(shared.served, "GET", `/api/crawls/${id}`);
}

async function recordsOf(id: string): Promise<RecordView[]> {
  const { records } = await callApi<{ records: RecordView[] }>(
    shared.served,
    "GET",
    `/api/crawls/${id}/records?limit=1000`,
  );
  return records;
}

/** That all pages are there, each once and as members see it. */
async function expectWhole(id: string, origins: string[]): Promise<void> {
  const records = await recordsOf(id);
  const titles = Object.fromEntries(records.map(({ url, title }) => [url, title]));
  for (const origin of origins)
    for (const path of ["/", ...PATHS]) expect([path, titles[origin + path]]).toEqual([path, `Page ${path}`]);
  expect(new Set(records.map(({ url }) => url)).size).toBe(records.length);
  expect(records.filter(({ title }) => title === "Log in" || title === "Welcome")).toEqual([]);
  for (const { url } of records.filter(({ status }) => status === "completed")) {
    const answer = await fetch(`${shared.served.address}/api/crawls/${id}/page?url=${encodeURIComponent(url)}`, {
      headers: { authorization: `Bearer ${shared.served.token}`, accept: "*/*" },
    });
    expect(await answer.text()).toContain(`What only members read on ${new URL(url).pathname}`);
  }
}

const resume = (id: string) => callApi(shared.served, "POST", `/api/crawls/${id}/resume`);

/** Goes through one flow whose session ends once. */
async function goThrough(name: string, kind: Kind, more: object = { signedIn: "a.log-out" }, isHeader = false) {
  const flow = newFlow("first");
  const site = await siteOf(kind, flow);
  const host = site.origin.replace("http://", "");
  await bring(name, [host], "first", isHeader);
  const id = await begin([`${site.origin}/`], name, more);
  const paused = await rested(id);
  expect([paused.status, paused.waitingFor?.slice(0, 11)]).toEqual(["paused", "signed-out:"]);
  const before = await recordsOf(id);
  expect(before.filter(({ status }) => status === "completed").length).toBeLessThan(7);
  // Without a new session it stops again, at the first page.
  flow.refused.length = 0;
  await resume(id);
  expect((await rested(id)).status).toBe("paused");
  expect(flow.refused.length).toBeGreaterThan(0);
  expect(flow.refused.length).toBeLessThan(5);
  flow.valid = "second";
  await bring(name, [host], "second", isHeader);
  await resume(id);
  const done = await rested(id);
  expect([done.status, done.waitingFor]).toEqual(["completed", null]);
  await expectWhole(id, [site.origin]);
  return { id, flow, site, done };
}

const toLogIn = (path: string) => ({ status: 302, headers: { location: `/login?next=${encodeURIComponent(path)}` } });

test("a cookie that expires in the middle, where strangers get a log-in page in place of the page", async () => {
  await goThrough("in-place", { endsAfter: 3, stranger: () => ({ status: 200, body: LOG_IN }) });
});

test("a redirect to a log-in, noticed without any mark", async () => {
  await goThrough("redirect", { endsAfter: 4, stranger: toLogIn }, {});
});

test("a header, and 401", async () => {
  const stranger = () => ({ status: 401, headers: { "www-authenticate": "Bearer" }, body: "no" });
  await goThrough("header", { endsAfter: 3, carries: tokenOf, stranger }, {}, true);
});

test("pages with an API behind them, which answers 401 in JSON", async () => {
  const json = { headers: { "content-type": "application/json" } };
  const stranger = (path: string) =>
    path.startsWith("/api")
      ? { status: 401, ...json, body: '{"error":"unauthorized"}' }
      : { status: 200, body: GREETING };
  const extra = { "/api/list": { ...json, body: '{"title":"What only members read on /api/list"}' } };
  const { id, site } = await goThrough(
    "json",
    { endsAfter: 5, stranger, extra },
    { signedIn: "text=log out", documents: ["json"] },
  );
  const record = (await recordsOf(id)).find(({ url }) => url === `${site.origin}/api/list`);
  expect(record?.status).toBe("completed");
});

test("a session that ends because nothing was asked for a while", async () => {
  const flow = newFlow("first");
  const site = await siteOf({ stranger: toLogIn }, flow);
  const host = site.origin.replace("http://", "");
  await bring("idle", [host], "first");
  const first = await begin([`${site.origin}/`], "idle", { signedIn: "a.log-out" });
  expect((await rested(first)).status).toBe("completed");
  flow.valid = null;
  const second = await begin([`${site.origin}/`], "idle", { signedIn: "a.log-out" });
  expect((await rested(second)).waitingFor).toContain("signed-out");
  expect((await recordsOf(second)).filter(({ status }) => status !== "queued")).toEqual([]);
  flow.valid = "second";
  await bring("idle", [host], "second");
  await resume(second);
  expect((await rested(second)).status).toBe("completed");
  await expectWhole(second, [site.origin]);
});

test("a cookie that each answer replaces, of which the one before ends the session", async () => {
  const flow = newFlow("turn-0");
  const answer = (now: Flow) => {
    now.valid = `turn-${now.given.length}`;
    return { "set-cookie": `sid=${now.valid}; Path=/` };
  };
  const site = await siteOf({ stranger: toLogIn, answer }, flow);
  await bring("turns", [site.origin.replace("http://", "")], "turn-0");
  const more = { signedIn: "a.log-out", politeness: { minDelayMs: 0, maxConcurrencyPerHost: 4 } };
  const id = await begin([`${site.origin}/`], "turns", more);
  expect((await rested(id)).status).toBe("completed");
  expect(flow.refused).toEqual([]);
  await expectWhole(id, [site.origin]);
});

test("several hosts with one session, of which one takes it no longer", async () => {
  const [one, two] = [newFlow("first"), newFlow("first")];
  const first = await siteOf({ stranger: toLogIn }, one);
  const second = await siteOf({ host: "127.0.0.3", endsAfter: 3, stranger: toLogIn }, two);
  const hosts = [first, second].map(({ origin }) => origin.replace("http://", ""));
  await bring("hosts", hosts, "first");
  const id = await begin([`${first.origin}/`, `${second.origin}/`], "hosts", { signedIn: "a.log-out" });
  const paused = await rested(id);
  expect(paused.waitingFor).toContain(`signed-out: ${hosts[1]} no longer takes the session hosts`);
  one.valid = "second";
  two.valid = "second";
  await bring("hosts", hosts, "second");
  await resume(id);
  expect((await rested(id)).status).toBe("completed");
  await expectWhole(id, [first.origin, second.origin]);
});

test("one session at a time: a log-in elsewhere ends ours, and strangers get a page of their own", async () => {
  await goThrough("one-at-a-time", { endsAfter: 4, stranger: () => ({ status: 200, body: GREETING }) });
});

test("strangers are led to the start, which everybody may read", async () => {
  const stranger = (path: string) =>
    path === "/welcome" ? { status: 200, body: GREETING } : { status: 302, headers: { location: "/welcome" } };
  await goThrough("to-the-start", { endsAfter: 4, stranger });
});

test("what strangers may not see is hidden by 404", async () => {
  await goThrough("hidden", { endsAfter: 4, stranger: () => ({ status: 404, body: "not found" }) });
});

test("a URL says who is signed in", async () => {
  const flow = newFlow(null);
  const extra = {
    "/api/me": { headers: { "content-type": "application/json" }, body: '{"me":"What only members read on /api/me"}' },
  };
  const site = await siteOf(
    { stranger: (path) => (path === "/api/me" ? { status: 401 } : { status: 200, body: GREETING }), extra },
    flow,
  );
  const host = site.origin.replace("http://", "");
  await bring("by-url", [host], "first");
  const id = await begin([`${site.origin}/`], "by-url", { signedIn: `${site.origin}/api/me` });
  expect((await rested(id)).waitingFor).toContain("signed-out");
  expect((await recordsOf(id)).filter(({ status }) => status === "completed")).toEqual([]);
  flow.valid = "second";
  await bring("by-url", [host], "second");
  await resume(id);
  expect((await rested(id)).status).toBe("completed");
  await expectWhole(id, [site.origin]);
});

test("pages that look otherwise although the session holds are no sign, and one that asks to log in is not kept", async () => {
  const extra = {
    "/print": { body: "<!doctype html><title>Page /print</title><p>What only members read on /print</p>" },
    "/gone": { status: 404 },
    "/moved": { status: 302, headers: { location: "/1" } },
    "/vault": { body: LOG_IN },
  };
  const flow = newFlow("first");
  const site = await siteOf({ stranger: toLogIn, extra }, flow);
  await bring("holds", [site.origin.replace("http://", "")], "first");
  const id = await begin([`${site.origin}/`], "holds", { signedIn: "a.log-out" });
  expect((await rested(id)).status).toBe("completed");
  const ends = Object.fromEntries(
    (await recordsOf(id)).map(({ url, status, reason }) => [new URL(url).pathname, reason ?? status]),
  );
  expect(ends).toMatchObject({
    "/print": "completed",
    "/gone": "http-status",
    "/moved": "redirected",
    "/vault": "log-in",
  });
});

test("it is told: by a webhook, and in the list of sessions", async () => {
  const receiver = await startReceiver();
  shared.sites.push(receiver);
  const flow = newFlow("first");
  const site = await siteOf({ endsAfter: 2, stranger: toLogIn }, flow);
  await bring("told", [site.origin.replace("http://", "")], "first");
  const id = await begin([`${site.origin}/`], "told", {
    signedIn: "a.log-out",
    webhook: { url: receiver.url, secret: SECRET },
  });
  expect((await rested(id)).status).toBe("paused");
  await expect.poll(() => JSON.stringify(receiver.notices)).toContain("signed-out");
  const sessions = await callApi<{ name: string; seenAt: string | null; signedOutWhy: string | null }[]>(
    shared.served,
    "GET",
    "/api/sessions",
  );
  expect(sessions.find(({ name }) => name === "told")).toMatchObject({
    seenAt: expect.any(String),
    signedOutWhy: expect.stringContaining("redirects"),
  });
});
