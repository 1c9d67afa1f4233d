import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import {
  readSecrets,
  type SessionSecrets,
  storeAnswers,
  writeSecrets,
} from "../../src/fetch/request/session-secrets.ts";
import { seal, unseal } from "../../src/store/installation/seal.ts";
import { type OpenSession, Sessions } from "../../src/store/installation/sessions.ts";
import { WATCH } from "./rows.ts";
import { WatchedWorld } from "./watched-world.ts";
import { type Web, World } from "./world.ts";

/** How sessions are kept, and what a crawl does whose session is gone or changes while it runs. */

const SEED = "https://a.test/";
const SAID = { what: "The session", remedy: "" };
const KEY = env.SESSION_KEY;
const OTHER_KEY = btoa("another key of 32 bytes, a test!");
const PAGE = { links: [] };
const HOSTS = { hosts: ["a.test"], headers: 0, cookies: 1, signedIn: "", temporary: false };

const holding = (value: string): string =>
  writeSecrets({
    cookies: [{ host: "a.test", name: "sid", value, path: "/", secure: true, expiresAt: null }],
    headers: [],
  });

async function opened(sessions: Sessions, name: string): Promise<OpenSession> {
  const session = (await sessions.open([name])).get(name);
  if (session === undefined || "why" in session) throw new Error(`no session: ${JSON.stringify(session)}`);
  return session;
}

describe("a sealed text", () => {
  test("is opened with its key and its name alone", async () => {
    const sealed = await seal("hush", "wiki", KEY);
    expect(sealed).not.toContain("hush");
    expect(await seal("hush", "wiki", KEY)).not.toBe(sealed);
    expect(await unseal(sealed, "wiki", KEY, SAID)).toBe("hush");
    await expect(unseal(sealed, "other", KEY, SAID)).rejects.toThrow("another SESSION_KEY");
    await expect(unseal(sealed, "wiki", OTHER_KEY, SAID)).rejects.toThrow("another SESSION_KEY");
    await expect(unseal(sealed.slice(0, -4), "wiki", KEY, SAID)).rejects.toThrow("another SESSION_KEY");
  });

  test.each([undefined, "", "c2hvcnQ=", "no base64!"])("needs a key of 32 bytes: %j", async (key) => {
    await expect(seal("hush", "wiki", key)).rejects.toThrow("SESSION_KEY");
  });
});

test("of two writers at once none is lost, and one of an earlier session changes nothing", async () => {
  const sessions = new Sessions(env.LEDGER, KEY);
  await sessions.bring({ name: "both", ...HOSTS }, holding("0"), 1);
  const before = await opened(sessions, "both");
  const add = (name: string) => (content: string) =>
    writeSecrets(storeAnswers(readSecrets(content), [{ url: SEED, setCookies: [`${name}=1`] }], 1));
  await Promise.all(["one", "two", "three"].map((name) => sessions.change(before, add(name))));
  const { cookies }: SessionSecrets = readSecrets((await opened(sessions, "both")).content);
  expect(cookies.map(({ name }) => name).toSorted()).toEqual(["one", "sid", "three", "two"]);
  await sessions.bring({ name: "both", ...HOSTS }, holding("1"), 2);
  expect(await sessions.change(before, add("late"))).toBe(null);
  expect(await sessions.noteSignedOut(before, { crawl: "c", url: SEED, why: "late" }, 3)).toBe(false);
  expect((await sessions.find("both"))?.signedOutAt).toBe(null);
});

test("a crawl whose session was removed, or has another key, pauses before it asks for anything", async () => {
  const world = new World(() => PAGE);
  const crawl = await world.start([SEED], { session: "gone" });
  await world.turn();
  const state = await world.deps.ledger.crawl(crawl);
  expect([state?.status, state?.waitingFor]).toEqual(["paused", "signed-out: the session gone is not there any more"]);
  expect(world.fetched).toEqual([]);
});

/** A server that gives a new cookie with each answer, and takes the newest alone. */
function turning(paths: readonly string[]): { web: Web; wrong: string[] } {
  let turn = 0;
  const wrong: string[] = [];
  const web: Web = (url, _, cookie) => {
    const links = url === SEED ? paths.map((path) => SEED + path) : [];
    // The model of the mirror reads a stored page by the same function.
    if (cookie === undefined) return { links };
    if (cookie !== `sid=${turn}`) wrong.push(`${url} ${cookie}`);
    turn += 1;
    return { links, setCookies: [`sid=${turn}; Path=/; Secure`] };
  };
  return { web, wrong };
}

test("faults of the platform lose no cookie that an answer has set", async () => {
  const { web, wrong } = turning(["1", "2", "3", "4", "5", "6"]);
  let commits = 0;
  const world = new World(web, {
    beforeCommit: () => {
      commits += 1;
      if (commits % 2 === 1) throw new Error("the database does not answer");
    },
  });
  await world.deps.sessions.bring({ name: "turns", ...HOSTS }, holding("0"), world.now);
  const crawl = await world.start([SEED], { session: "turns" });
  await world.runToEnd(crawl);
  expect(wrong).toEqual([]);
  expect((await world.deps.ledger.crawl(crawl))?.counters).toMatchObject({ completed: 7 });
});

test("nothing that an answer sets stands in the ledger", async () => {
  const { web } = turning(["1", "2"]);
  const world = new World((url, attempt) =>
    url === SEED && attempt === 0
      ? { redirect: SEED, setCookies: ["sid=kS3cret; Path=/; Secure"] }
      : { ...web(url, attempt, "sid=0"), links: [] },
  );
  await world.deps.sessions.bring({ name: "loop", ...HOSTS }, holding("0"), world.now);
  const crawl = await world.start([SEED], { session: "loop", keepCookies: true });
  await world.runToEnd(crawl);
  const { results } = await env.LEDGER.prepare("SELECT url, status, cookies FROM urls WHERE crawl = ?1")
    .bind(crawl)
    .all();
  expect(results).toMatchObject([{ url: SEED, status: "completed" }]);
  const { results: jars } = await env.LEDGER.prepare("SELECT * FROM cookies WHERE crawl = ?1").bind(crawl).all();
  expect(JSON.stringify([results, jars])).not.toContain("kS3cret");
});

test("a page that has changed is looked at a second time with its session, not as a stranger", async () => {
  const site = { news: "the news of monday" };
  const rest = Array.from({ length: 8 }, (_, i) => `what is always said ${"abcdefgh".charAt(i).repeat(5)}`);
  const world = new WatchedWorld(() => ({ text: [site.news, ...rest].join(" / "), links: [] }));
  const sent: (string | undefined)[] = [];
  const { fetchPage } = world.deps;
  world.deps.fetchPage = (request, secrets, ...rest) => {
    sent.push(secrets.cookie);
    return fetchPage(request, secrets, ...rest);
  };
  await world.deps.sessions.bring({ name: "looks", ...HOSTS }, holding("0"), world.now);
  const id = await world.watch(3_600_000, { session: "looks" });
  sent.length = 0;
  site.news = "other news of tuesday";
  await world.pass(10 * 3_600_000);
  const { visits, changes } = await world.crawl(id);
  expect(changes).toBe(1);
  const visited = Object.values(visits).reduce((sum, count) => sum + (count ?? 0), 0);
  expect(sent.length).toBeGreaterThan(visited);
  expect(new Set(sent)).toEqual(new Set(["sid=0"]));
});

test("a watch pauses where its visits are asked to log in, and tells and forgets nothing", async () => {
  let isOut = false;
  const paths = ["1", "2"].map((path) => SEED + path);
  const world = new World((url) =>
    isOut ? { status: 401 } : { links: url === SEED ? paths : [], says: `page ${url}` },
  );
  await world.deps.sessions.bring({ name: "watch", ...HOSTS }, holding("0"), world.now);
  const crawl = await world.start([SEED], { session: "watch", watch: WATCH });
  const statusOf = async () => (await world.deps.ledger.crawl(crawl))?.status;
  while ((await statusOf()) !== "watching") await world.turn();
  isOut = true;
  for (let turn = 0; turn < 500 && (await statusOf()) === "watching"; turn += 1) await world.turn();
  const state = await world.deps.ledger.crawl(crawl);
  expect([state?.status, state?.waitingFor?.slice(0, 11)]).toEqual(["paused", "signed-out:"]);
  const rows = await env.LEDGER.prepare("SELECT status FROM urls WHERE crawl = ?1").bind(crawl).all();
  expect(rows.results.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  const told = await env.LEDGER.prepare("SELECT kind FROM changes WHERE crawl = ?1 AND kind <> 'added'")
    .bind(crawl)
    .all();
  expect(told.results).toEqual([]);
});
