import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { unzipSync } from "fflate";
import { beforeAll, expect, test } from "vitest";
import { EXPORTED_NAMES } from "../../src/crawl/export-table.ts";
import { HTML, page } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { allowPrivateHosts } from "./allow-private.ts";
import { crawl, run, serve, start } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

allowPrivateHosts();

/** A session goes to its hosts alone, and stands in nothing that an installation writes. */

/** Marked, so that a search finds them in whatever was written. */
const COOKIE = "kS3cretCookieOfMine";
const ROTATED = "kS3cretRotatedByAnswers";
const TOKEN = "kS3cretHeaderOfMine";
/** Of a crawl's own `--header`, without a session. */
const OWN = "kS3cretOwnHeaderOfACrawl";
const WEBHOOK = Buffer.from("kS3cretOfTheWebhook, long").toString("base64");
const SECRETS = [COOKIE, ROTATED, TOKEN, OWN, WEBHOOK];

const READER = "reader-of-the-tests";
const shared = shareServer((state) => serve(state, "--read-token", READER));
let wiki: Site;
let other: Site;
let keyed: Site;
/** `HOST PATH` with what it carried. */
const carried: { at: string; cookie: string; token: string }[] = [];
let output = "";
let id = "";
let ownId = "";

async function siteOf(name: string, host: string, links: () => string[]): Promise<Site> {
  const site = await startSite(
    ({ url = "/", headers }, response) => {
      carried.push({
        at: `${name} ${url}`,
        cookie: headers.cookie ?? "",
        token: String(headers["x-token"] ?? headers.authorization ?? ""),
      });
      if (url === "/robots.txt" || url.startsWith("/sitemap")) return void response.writeHead(404).end();
      if (url === "/away") return void response.writeHead(302, { location: `${other.origin}/landed` }).end();
      if (url === "/picture.png") return void response.writeHead(200, { "content-type": "image/png" }).end("picture");
      const setCookie = { "set-cookie": [`turn=${ROTATED}-${carried.length}; Path=/`, `other=1`] };
      response.writeHead(200, { ...HTML, ...(name === "wiki" ? setCookie : {}) });
      response.end(
        page(url, ...(url === "/" ? links() : [])).replace("</body>", `<img src="${other.origin}/picture.png"></body>`),
      );
    },
    { host },
  );
  shared.sites.push(site);
  return site;
}

beforeAll(async () => {
  other = await siteOf("other", "127.0.0.2", () => []);
  wiki = await siteOf("wiki", "127.0.0.1", () => ["/a", "/away", `${other.origin}/page`]);
  const file = join(shared.dir.path, "cookies.txt");
  writeFileSync(
    file,
    [
      "# Netscape HTTP Cookie File",
      `#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\t${COOKIE}`,
      `127.0.0.1\tFALSE\t/\tFALSE\t0\tturn\t${COOKIE}`,
      `127.0.0.2\tFALSE\t/\tFALSE\t0\tsid\t${COOKIE}-of-the-other`,
      `.bank.example\tTRUE\t/\tTRUE\t0\tsid\t${COOKIE}-of-the-bank`,
      "",
    ].join("\n"),
  );
  const { remote } = shared.served;
  const added = await run(
    ...["session", "add", "wiki", "--host", "127.0.0.1", "--cookie-file", file],
    ...["--header", `X-Token: ${TOKEN}`, ...remote],
  );
  output += added.stdout + added.stderr;
  const done = await crawl(
    shared.dir.path,
    ...[`${wiki.origin}/`, "--session", "wiki", "--delay", "0", "--assets", "--external", "--depth", "1", ...remote],
  );
  id = done.summary.id;
  output += done.ended.stdout + done.ended.stderr;
  expect(added.code, output).toBe(0);
  await beginWithOwnHeader();
});

/** Whatever may begin with a header of its own, and a webhook with a secret and a header. */
async function beginWithOwnHeader(): Promise<void> {
  keyed = await siteOf("keyed", "127.0.0.3", () => ["/a", `${other.origin}/page`]);
  const { remote, address, token } = shared.served;
  const seed = `${keyed.origin}/`;
  const own = ["--header", `Authorization: Bearer ${OWN}`, "--delay", "0", "--limit", "5"];
  const done = await crawl(shared.dir.path, seed, ...own, "--assets", "--external", "--depth", "1", ...remote);
  ownId = done.summary.id;
  const scheduled = await run("schedule", "add", "0 3 * * *", seed, ...own, ...remote);
  expect(scheduled.code, scheduled.stderr).toBe(0);
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(address + path, { method: "POST", headers, body: JSON.stringify(body) });
    expect(answer.status).toBe(201);
  };
  const headers = { authorization: `Bearer ${OWN}` };
  await post("/api/crawls", { url: `${seed}a`, headers, limit: 1, watch: { everyS: 86_400 } });
  const webhook = { url: `${other.origin}/hook`, secret: `whsec_${WEBHOOK}`, format: "ntfy", headers };
  await post(`/api/crawls/${ownId}/webhooks`, webhook);
  output += [done.ended, scheduled].map(({ stdout, stderr }) => stdout + stderr).join("");
}

test("a crawl's own header goes to its seed's origin, and to nobody else", () => {
  const got = carried.filter(({ at }) => at.startsWith("keyed") && !/robots|sitemap/.test(at));
  expect(new Set(got.map(({ at }) => at))).toEqual(new Set(["keyed /", "keyed /a"]));
  expect(new Set(got.map(({ token }) => token))).toEqual(new Set([`Bearer ${OWN}`]));
  const elsewhere = carried.filter(({ at }) => !at.startsWith("keyed"));
  expect(elsewhere.filter(({ token }) => token.includes(OWN))).toEqual([]);
});

test("it is said how many cookies were kept, and whose were left out", () => {
  expect(output).toContain("Kept 2 cookies for 127.0.0.1. Left out those of 127.0.0.2, bank.example.");
  expect(output).toContain("Session wiki: 2 cookies and 1 header for 127.0.0.1. Use it with --session wiki.");
});

test("it goes to its host, and to nobody else: no redirect, no link, no asset", () => {
  const pages = carried.filter(({ at }) => !/robots|sitemap/.test(at));
  const toWiki = pages.filter(({ at }) => at.startsWith("wiki"));
  expect(toWiki.map(({ at }) => at).toSorted()).toEqual(["wiki /", "wiki /a", "wiki /away"]);
  for (const { cookie, token } of toWiki) {
    expect(cookie).toContain(`sid=${COOKIE}`);
    expect(token).toBe(TOKEN);
  }
  const elsewhere = pages.filter(({ at }) => at.startsWith("other"));
  expect(elsewhere.map(({ at }) => at)).toEqual(
    expect.arrayContaining(["other /landed", "other /page", "other /picture.png"]),
  );
  for (const { cookie, token } of elsewhere) expect([cookie, token]).toEqual(["", ""]);
});

test("each request carries what the answer before has set, and robots.txt is asked without it", () => {
  const [first, ...rest] = carried.filter(({ at }) => /^wiki \/(a|away)?$/.test(at));
  expect(first?.cookie).toBe(`sid=${COOKIE}; turn=${COOKIE}`);
  expect(new Set(rest.map(({ cookie }) => cookie)).size).toBeGreaterThan(0);
  for (const { cookie } of rest) expect(cookie).toContain(`turn=${ROTATED}`);
  for (const { cookie } of carried.filter(({ at }) => at.endsWith("/robots.txt"))) expect(cookie).toBe("");
});

test("the commands and the API name it, and show nothing of what it holds", async () => {
  const { remote, address, token } = shared.served;
  const listed = await run("session", "list", ...remote);
  expect(listed.stdout).toMatch(/wiki +127\.0\.0\.1/);
  const headers = { authorization: `Bearer ${token}` };
  const answers = await Promise.all(
    ["/api/sessions", `/api/crawls/${id}`].map(async (path) => (await fetch(address + path, { headers })).text()),
  );
  expect(answers[0]).toContain('"cookies":2');
  expect(answers[1]).toContain('"session":"wiki"');
  output += listed.stdout + listed.stderr + answers.join("");
});

test("no cookie and no header stands in anything that was written", async () => {
  const { remote, address, token } = shared.served;
  const exports = join(shared.dir.path, "exports");
  mkdirSync(exports);
  for (const [crawl, format] of [id, ownId].flatMap((crawl) => EXPORTED_NAMES.map((name) => [crawl, name] as const))) {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${address}/api/crawls/${crawl}/export?format=${format}`, { headers });
    expect(answer.status, format).toBeLessThan(410);
    writeFileSync(join(exports, `${crawl}-${format}`), Buffer.from(await answer.arrayBuffer()));
  }
  const failed = await run(
    "session",
    "add",
    "wiki",
    "--host",
    "b.test",
    "--cookie-file",
    join(shared.dir.path, "cookies.txt"),
    ...remote,
  );
  expect(failed.code).not.toBe(0);
  output += failed.stdout + failed.stderr;
  const files = readdirSync(shared.dir.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "cookies.txt")
    .map((entry) => join(entry.parentPath, entry.name));
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => SECRETS.some((secret) => textsOf(file).some((text) => text.includes(secret))))).toEqual(
    [],
  );
  for (const secret of SECRETS) expect(output).not.toContain(secret);
});

test("the key is a file for this user alone, and what is sealed with it is not the cookies", () => {
  const key = join(shared.dir.path, "served", "session-key");
  expect(statSync(key).mode & 0o777).toBe(0o600);
  expect(Buffer.from(readFileSync(key, "utf8"), "base64")).toHaveLength(32);
});

test("a crawl with a session is not there for readers, agents and feeds, unless it is shared", async () => {
  const { remote, address, token } = shared.served;
  const args = [`${wiki.origin}/a`, "--session", "wiki", "--limit", "1", "--delay", "0", ...remote];
  const open = (await crawl(shared.dir.path, ...args, "--shared")).summary.id;
  const ask = async (path: string, as: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${as}`, accept: "application/json, text/event-stream" };
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const answer = await fetch(address + path, {
      headers: { ...headers, "content-type": "application/json" },
      ...init,
    });
    return { status: answer.status, text: await answer.text() };
  };
  const page = encodeURIComponent(`${wiki.origin}/a`);
  for (const path of ["", "/records", `/page?url=${page}`, `/export?format=csv`, "/hosts"]) {
    expect([path, (await ask(`/api/crawls/${id}${path}`, READER)).status]).toEqual([path, 404]);
    expect([path, (await ask(`/api/crawls/${id}${path}`, token)).status]).toEqual([path, 200]);
    expect([path, (await ask(`/api/crawls/${open}${path}`, READER)).status]).toEqual([path, 200]);
  }
  for (const path of ["/api/crawls", `/api/versions?url=${page}`]) {
    const told = (await ask(path, READER)).text;
    expect([path, told.includes(open), told.includes(id)]).toEqual([path, true, false]);
    expect((await ask(path, token)).text).toContain(id);
  }
  expect((await ask(`/replay/${id}/${wiki.origin}/a`, READER)).status).toBe(404);
  expect((await ask("/api/sessions", READER)).status).toBe(403);
  expect((await ask(`/api/crawls/${id}/feed`, token, {})).status).toBe(409);
  const list = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list", arguments: {} } };
  const agent = (await ask("/mcp", token, list)).text;
  expect([agent.includes(open), agent.includes(id)]).toEqual([true, false]);
  const search = { url: `${wiki.origin}/`, session: "wiki", search: true };
  expect((await ask("/api/crawls", token, search)).status).toBe(400);
});

test("what would change something is not followed with a session, unless it is allowed, and is listed", async () => {
  const asked: string[] = [];
  const site = await startSite(({ url = "/" }, response) => {
    asked.push(url);
    if (url === "/robots.txt") return void response.writeHead(404).end();
    if (url === "/turn") return void response.writeHead(302, { location: "/users/sign_out" }).end();
    const links = ["/logout", "/items/5/delete", "/items/5/close", "/turn", "/page", "/docs/logout"];
    const body = page(url, ...(url === "/" ? links : []));
    const beside = `<a href="/bye">Log out</a><a href="/bye">bye</a><img src="/?add-to-cart=5">`;
    response.writeHead(200, HTML).end(body.replace("</body>", `${url === "/" ? beside : ""}</body>`));
  });
  shared.sites.push(site);
  const { remote, address, token } = shared.served;
  const crawlWith = async (...args: string[]) => {
    asked.length = 0;
    const from = [`${site.origin}/`, "--delay", "0", "--assets", "--source", "links", ...args, ...remote];
    const { summary } = await crawl(shared.dir.path, ...from);
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${address}/api/crawls/${summary.id}`, { headers });
    const { result } = (await answer.json()) as { result: { refused: { reason: string; count: number }[] } };
    const refused = result.refused.find(({ reason }) => reason === "action")?.count ?? 0;
    return { asked: asked.filter((path) => path !== "/robots.txt").toSorted(), refused };
  };
  const pages = ["/", "/docs/logout", "/page", "/turn"];
  expect(await crawlWith("--session", "wiki")).toEqual({ asked: pages, refused: 5 });
  expect(await crawlWith("--session", "wiki", "--allow-action", "/items/*/close")).toEqual({
    asked: [...pages, "/items/5/close"].toSorted(),
    refused: 4,
  });
  const without = await crawlWith();
  expect([without.asked.length, without.refused]).toEqual([10, 0]);
});

test("--cookie-file keeps cookies for one crawl, which takes them along when it is deleted", async () => {
  const { remote, address, token } = shared.served;
  carried.length = 0;
  const file = join(shared.dir.path, "cookies.txt");
  const done = await start(
    "crawl",
    `${wiki.origin}/a`,
    "--cookie-file",
    file,
    "--limit",
    "1",
    "--depth",
    "0",
    "--delay",
    "0",
    ...remote,
  ).ended;
  expect(done.code, done.stderr).toBe(0);
  expect(done.stdout + done.stderr).toContain("Kept 2 cookies for 127.0.0.1");
  expect(carried.find(({ at }) => at === "wiki /a")?.cookie).toContain(COOKIE);
  const again = await run("crawl", `${other.origin}/`, "--session", "wiki", ...remote);
  expect(again.stderr).toContain("The session wiki goes to 127.0.0.1, and no seed is there.");
  const missing = await run("crawl", `${other.origin}/`, "--session", "none", ...remote);
  expect(missing.stderr).toContain("There is no session none");
  const list = await fetch(`${address}/api/sessions`, { headers: { authorization: `Bearer ${token}` } });
  expect(((await list.json()) as { result: unknown[] }).result).toHaveLength(1);
});

test("a session is removed, and it is said which crawls have used it", async () => {
  const removed = await run("session", "remove", "wiki", ...shared.served.remote);
  expect(removed.stdout).toContain("Session wiki is removed.");
  expect(removed.stdout).toContain(`delete ${id} --remote ${shared.served.address}`);
});

/** A file as it is, and unpacked. */
/** The bytes of a file, and those inside it if it is a ZIP, such as a WACZ, or gzip, at any depth. */
function textsOf(file: string): Buffer[] {
  return insidesOf(readFileSync(file));
}

function insidesOf(bytes: Buffer): Buffer[] {
  if (bytes.subarray(0, 4).equals(Buffer.from("PK\x03\x04", "latin1")))
    return [bytes, ...Object.values(unzipSync(bytes)).flatMap((inside) => insidesOf(Buffer.from(inside)))];
  try {
    return [bytes, ...insidesOf(gunzipSync(bytes))];
  } catch {
    return [bytes];
  }
}

test("a check says whether the page turns strangers away, and finds the scheme of an address itself", async () => {
  const { remote } = shared.served;
  const asked: string[] = [];
  const closed = await startSite(
    ({ url = "/", headers }, response) => {
      if (url === "/robots.txt") return void response.writeHead(404).end();
      asked.push(headers.authorization ?? "");
      if (headers.authorization !== `Bearer ${TOKEN}`) return void response.writeHead(401).end();
      response.writeHead(200, HTML).end(page("Members"));
    },
    { host: "127.0.0.4" },
  );
  shared.sites.push(closed);
  const host = closed.origin.replace("http://", "");
  const check = async (token: string) => {
    await run("session", "add", "closed", "--host", host, "--header", `Authorization: Bearer ${token}`, ...remote);
    return run("session", "check", "closed", ...remote);
  };
  const right = await check(TOKEN);
  expect([right.code, right.stderr]).toEqual([0, ""]);
  expect(right.stdout).toContain("The session closed reads as a member.");
  expect(right.stdout).toContain(`${closed.origin}/ turns strangers away: it answers 401.`);
  const wrong = await check("another");
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toContain(`The session closed does not work: it answers 401 at ${closed.origin}/.`);
  expect(wrong.stdout).not.toContain("shows nothing");
  expect(new Set(asked)).toEqual(new Set([`Bearer ${TOKEN}`, "", "Bearer another"]));
});
