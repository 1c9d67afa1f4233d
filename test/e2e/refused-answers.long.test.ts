import { join } from "node:path";
import { expect, test } from "vitest";
import { page } from "../sites/handmade-site.ts";
import { startSite } from "../sites/site.ts";
import { crawl, start } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/**
 * Answers that workerd refuses without a word. This machine asks for them again, in another turn of the host's gate,
 * reads what can be read, and says what is wrong.
 */

const shared = shareServer();
const { dir, sites } = shared;

const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const HTML_LINE = "Content-Type: text/html\r\n";

/** Each is a whole answer with this body. */
const REFUSED: Record<string, (body: string) => string> = {
  folded: (body) => `HTTP/1.1 200 OK\r\n${HTML_LINE}X-A: b\r\n c\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  spaced: (body) => `HTTP/1.1 200 OK\r\nContent-Type : text/html\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  "old-chunks": (body) => `HTTP/1.0 200 OK\r\n${HTML_LINE}Transfer-Encoding: chunked\r\n\r\n${chunked(body)}`,
};
const twoLengths = (body: string) =>
  `HTTP/1.1 200 OK\r\n${HTML_LINE}Content-Length: 5\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** At the end of an answer: the server keeps the connection open after it. */
const STAYS_OPEN = "\0";

/** A site whose answers are the bytes in this table. Others are 404. */
async function rawSite(host: string, answers: Record<string, string>) {
  const site = await startSite(
    ({ url = "" }, { socket }) => {
      const none = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
      const answer = answers[url] ?? none;
      if (answer.endsWith(STAYS_OPEN)) socket?.write(answer.slice(0, -1));
      else socket?.end(answer);
    },
    { host },
  );
  sites.push(site);
  return { ...site, answers };
}

const good = (body: string) =>
  `HTTP/1.1 200 OK\r\n${HTML_LINE}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n`;

test.concurrent("pages are read, or say what is wrong, at the host's pace", async () => {
  const names = Object.keys(REFUSED);
  const home = page("home", ...names.map((name) => `/${name}`), "/two-lengths", "/moved");
  const site = await rawSite("127.0.0.71", {
    "/": good(home) + home,
    ...Object.fromEntries(names.map((name) => [`/${name}`, REFUSED[name]?.(page(name)) ?? ""])),
    "/two-lengths": twoLengths(page("two")),
    "/moved": "HTTP/1.1 302 Found\r\nX-A: b\r\n c\r\nLocation: /é\r\nContent-Length: 0\r\n\r\n",
    "/%C3%A9": `${good("<title>é</title>")}<title>é</title>`,
  });
  const flags = ["--delay", "0.3", "--source", "links", ...shared.served.remote];
  const { byUrl } = await crawl(join(dir.path, "pages"), `${site.origin}/`, ...flags);
  const recordOf = (name: string) => byUrl.get(`${site.origin}/${name}`);
  for (const name of names) expect(recordOf(name)).toMatchObject({ status: "completed", title: name });
  expect(recordOf("folded")?.explanation).toBe("the header x-a is folded over several lines");
  expect(recordOf("spaced")?.explanation).toBe("the header Content-Type has a space before its colon");
  expect(recordOf("old-chunks")?.explanation).toContain("HTTP/1.0, which has no chunks");
  expect(recordOf("two-lengths")).toMatchObject({
    status: "errored",
    reason: "parse",
    explanation: expect.stringContaining("the answer has two Content-Lengths: 5 and "),
  });
  expect(recordOf("%C3%A9")?.status).toBe("completed");
  for (const path of ["/folded", "/two-lengths"]) expect([path, site.counts().get(path)]).toEqual([path, 2]);
  const gaps = site.log.slice(1).map(({ startedAt }, i) => startedAt - (site.log[i]?.startedAt ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(300);
  expect(site.connectionsPeak()).toBe(1);
});

test.concurrent("an answer that does not come, or does not end, is told and kept as far as it came", async () => {
  const home = page("home", "/nothing", "/open");
  const site = await rawSite("127.0.0.77", {
    "/": good(home) + home,
    "/nothing": "",
    "/open": `HTTP/1.1 200 OK\r\n${HTML_LINE}X-A: b\r\n c\r\n\r\n${page("open")}${STAYS_OPEN}`,
  });
  const flags = ["--delay", "0", "--max-attempts", "1", "--source", "links", ...shared.served.remote];
  const { byUrl } = await crawl(join(dir.path, "open"), `${site.origin}/`, ...flags);
  expect(byUrl.get(`${site.origin}/nothing`)).toMatchObject({
    reason: "connection",
    explanation: expect.stringContaining("closed the connection without an answer"),
  });
  expect(byUrl.get(`${site.origin}/open`)).toMatchObject({
    status: "completed",
    title: "open",
    truncated: "disconnect",
  });
});

test.concurrent("a sitemap that workerd refuses is read", async () => {
  const home = page("home");
  const site = await rawSite("127.0.0.78", { "/": good(home) + home, "/listed": good(home) + home });
  const urlset = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${site.origin}/listed</loc></url></urlset>`;
  site.answers["/sitemap.xml"] = REFUSED.folded?.(urlset).replace("text/html", "application/xml") ?? "";
  const { byUrl } = await crawl(join(dir.path, "sitemap"), `${site.origin}/`, "--delay", "0", ...shared.served.remote);
  expect(byUrl.get(`${site.origin}/listed`)?.status).toBe("completed");
});

test.concurrent.each(Object.keys(REFUSED).map((name, i) => ({ name, i })))(
  "a robots.txt that workerd refuses is obeyed: $name",
  async ({ name, i }) => {
    const home = page("home", "/open", "/secret");
    const site = await rawSite(`127.0.0.${72 + i}`, {
      "/robots.txt": REFUSED[name]?.("User-agent: *\nDisallow: /secret\n") ?? "",
      "/": good(home) + home,
      "/open": `${good("<title>open</title>")}<title>open</title>`,
    });
    const flags = ["--delay", "0.1", "--source", "links", ...shared.served.remote];
    const { byUrl } = await crawl(join(dir.path, name), `${site.origin}/`, ...flags);
    expect(byUrl.get(`${site.origin}/open`)?.status).toBe("completed");
    expect(byUrl.get(`${site.origin}/secret`)?.status).toBe("disallowed");
    const [first, second] = site.log;
    expect((second?.startedAt ?? 0) - (first?.startedAt ?? 0)).toBeGreaterThanOrEqual(100);
  },
);

test.concurrent("a robots.txt that nobody can read forbids for now, and the crawl says why it waits", async () => {
  const home = page("home");
  const site = await rawSite("127.0.0.76", {
    "/robots.txt": twoLengths("User-agent: *\nDisallow:\n"),
    "/": good(home) + home,
  });
  const { child, printed, ended } = start("crawl", `${site.origin}/`, "--delay", "0", ...shared.served.remote);
  await printed("Waiting: robots.txt cannot be read (the answer has two Content-Lengths: 5 and 24)");
  child.kill("SIGINT");
  await ended;
  expect(site.counts().has("/")).toBe(false);
});
