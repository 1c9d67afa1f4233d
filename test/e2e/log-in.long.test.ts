import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CheckView, CrawlDetail, RecordView, SessionView } from "../../src/api/views.ts";
import { type MemberKind, type Members, PASSWORD, PATHS, startMembers, stepsOf, USER } from "../sites/member-site.ts";
import { allowPrivateHosts } from "./allow-private.ts";
import { callApi } from "./api-calls.ts";
import { findBrowser } from "./browser.ts";
import { run, startWith } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

allowPrivateHosts();

/** Log-ins that a browser does, and crawls that renew their session by them. */

const browser = findBrowser("log-ins");
const shared = shareServer();

async function open(kind: MemberKind = {}): Promise<Members> {
  const members = await startMembers(kind);
  shared.sites.push(members.site);
  return members;
}

const hostOf = ({ site }: Members) => site.origin.replace("http://", "");
let named = 0;
const newName = () => `members-${++named}`;

async function bring(
  members: Members,
  kind: MemberKind = {},
  more: { hosts?: string[]; perDay?: number; steps?: object[]; secrets?: object; signedIn?: string } = {},
): Promise<string> {
  const name = newName();
  const { hosts = [], perDay = 20, steps = stepsOf(members, kind), signedIn = "a.log-out" } = more;
  // Each test is an account of its own: the port is another one.
  const secrets = more.secrets ?? { MEMBER: USER, MEMBER_PASSWORD: PASSWORD };
  const session = await callApi<SessionView>(shared.served, "POST", "/api/sessions", {
    ...{ name, hosts: [hostOf(members)], signedIn },
    login: { steps, hosts, secrets, perDay },
  });
  expect(session?.name).toBe(name);
  return name;
}

const check = (name: string, asked: object = {}) =>
  callApi<CheckView>(shared.served, "POST", `/api/sessions/${name}/check`, asked);

async function crawlWith(members: Members, session: string, more: object = {}): Promise<string> {
  const { id } = await callApi<{ id: string }>(shared.served, "POST", "/api/crawls", {
    ...{ url: `${members.site.origin}/`, session, limit: 100, source: "links", politeness: { minDelayMs: 0 } },
    ...more,
  });
  return id;
}

async function rested(id: string): Promise<CrawlDetail> {
  const statusOf = async () => (await callApi<CrawlDetail>(shared.served, "GET", `/api/crawls/${id}`)).status;
  await expect.poll(statusOf, { timeout: 120_000, interval: 50 }).not.toBe("running");
  return callApi<CrawlDetail>(shared.served, "GET", `/api/crawls/${id}`);
}

async function recordsOf(id: string): Promise<RecordView[]> {
  const path = `/api/crawls/${id}/records?limit=1000`;
  return (await callApi<{ records: RecordView[] }>(shared.served, "GET", path)).records;
}

/** That all pages are there, each once and as members see it. */
async function expectWhole(id: string, { site }: Members): Promise<void> {
  const records = await recordsOf(id);
  const titles = Object.fromEntries(records.map(({ url, title }) => [url, title]));
  for (const path of ["/", ...PATHS]) expect([path, titles[site.origin + path]]).toEqual([path, `Page ${path}`]);
  expect(new Set(records.map(({ url }) => url)).size).toBe(records.length);
  const completed = records.filter(({ status }) => status === "completed");
  expect(completed.length).toBe(1 + PATHS.length);
  for (const { url } of completed) {
    const headers = { authorization: `Bearer ${shared.served.token}`, accept: "*/*" };
    const answer = await fetch(`${shared.served.address}/api/crawls/${id}/page?url=${encodeURIComponent(url)}`, {
      headers,
    });
    expect(await answer.text()).toContain(`What only members read on ${new URL(url).pathname}`);
  }
}

const GREETING = `<!doctype html><html lang="en"><head><title>Welcome</title></head><body><h1>Welcome, stranger</h1><p>Read what everybody may read.</p></body></html>`;
const LOG_IN = `<!doctype html><html lang="en"><head><title>Log in</title></head><body><form method="post" action="/session/new"><input name="user"><input type="password" name="password"></form></body></html>`;

const FLOWS: [string, MemberKind][] = [
  ["a form, and a cookie", {}],
  ["a form with a CSRF token", { csrf: true }],
  ["a script that sends JSON", { form: "json" }],
  ["a script that sends JSON with a CSRF token", { form: "json", csrf: true }],
  ["a script that keeps a token in a cookie", { form: "json", kept: "script-cookie" }],
  ["a page of scripts that stays where it is", { form: "spa" }],
  ["a user on one page and a password on the next", { form: "two-pages" }],
  ["remember me, without which a session is for one page", { remembers: true }],
  ["one session at a time", { oneAtATime: true }],
  ["a new cookie with each answer", { rotates: true }],
  ["strangers get another page in place of each", { stranger: () => ({ status: 200, body: GREETING }) }],
  ["strangers get the log-in in place of each page", { stranger: () => ({ status: 200, body: LOG_IN }) }],
  ["strangers get 401", { stranger: () => ({ status: 401, body: "no" }) }],
  ["strangers get 404", { stranger: () => ({ status: 404, body: "nothing here" }) }],
];

describe.skipIf(browser === undefined)("a log-in", () => {
  test.each(FLOWS)("renews a session that ends in the middle: %s", async (_, kind) => {
    // Each session is good for four pages, so seven pages need two.
    const members = await open({ pagesPerSession: 4, ...kind });
    const name = await bring(members, kind);
    const id = await crawlWith(members, name);
    const done = await rested(id);
    expect([done.status, done.waitingFor]).toEqual(["completed", null]);
    await expectWhole(id, members);
    // The browser looks at a page of its own after each log-in.
    expect(members.logIns).toBeGreaterThan(1);
    expect(members.logIns).toBeLessThan(6);
    const [session] = (await callApi<SessionView[]>(shared.served, "GET", "/api/sessions")).filter(
      (each) => each.name === name,
    );
    expect(session).toMatchObject({ signedOutAt: null, login: { today: members.logIns, failedWhy: null } });
  });

  test("by a single sign-on of another host, which leads back with a ticket", async () => {
    const signOn = await open({ host: "127.0.0.3" });
    const kind: MemberKind = { pagesPerSession: 4, signOn: () => signOn.site.origin };
    const members = await open(kind);
    const unnamed = await bring(members, kind);
    const refused = await check(unnamed);
    expect(refused.works).toBe(false);
    expect(refused.why).toContain(`it leads to ${hostOf(signOn)}, which is no host of the log-in`);
    expect(signOn.asked).toEqual([]);
    const name = await bring(members, kind, { hosts: [hostOf(signOn)] });
    const id = await crawlWith(members, name);
    expect((await rested(id)).status).toBe("completed");
    await expectWhole(id, members);
    expect(signOn.logIns).toBeGreaterThan(1);
    expect(new Set(signOn.asked)).toEqual(new Set(["GET /robots.txt", "GET /sso", "POST /session/new"]));
  });

  test("what a check says and shows, and what it proposes", async () => {
    const members = await open();
    const name = await bring(members, {}, { signedIn: "" });
    const out = join(shared.dir.path, "picture.jpg");
    const args = ["session", "check", name, "--url", `${members.site.origin}/`, "--out", out];
    const checked = await run(...args, ...shared.served.remote);
    expect(checked.stdout).toContain("ok  fill #password with MEMBER_PASSWORD");
    expect(checked.stdout).toContain(`Then the browser was at ${members.site.origin}/ (Page /).`);
    expect(checked.stdout).toContain(`session check ${name} --signed-in a.log-out`);
    expect([...readFileSync(out).subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
    const again = await check(name, { signedIn: "a.log-out", url: `${members.site.origin}/` });
    expect(again).toMatchObject({ works: true, why: null, signedIn: "a.log-out" });
    for (const text of [checked.stdout, JSON.stringify({ ...again, picture: null })])
      for (const secret of [PASSWORD, USER, encodeURIComponent(PASSWORD)]) expect(text).not.toContain(secret);
  });

  test("secrets come from a file or the environment, and stand in nothing that is written", async () => {
    const members = await open();
    const login = join(shared.dir.path, "login.json");
    writeFileSync(login, JSON.stringify({ steps: stepsOf(members) }));
    const secrets = join(shared.dir.path, "secrets.txt");
    writeFileSync(secrets, `# of the wiki\nMEMBER=${USER}\n`);
    const args = ["session", "add", "by-file", "--host", hostOf(members), "--login", login];
    const missing = await run(...args, ...shared.served.remote);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("The log-in needs MEMBER.")]);
    const added = await startWith({ MEMBER_PASSWORD: PASSWORD }, [
      ...args,
      "--secret-file",
      secrets,
      ...shared.served.remote,
    ]).ended;
    expect(added.stdout).toContain("0 cookies, 0 headers, a log-in");
    expect((await check("by-file", { signedIn: "a.log-out", url: `${members.site.origin}/` })).works).toBe(true);
    const listed = await run("session", "list", "--json", ...shared.served.remote);
    expect(listed.stdout).toContain("fill #password with MEMBER_PASSWORD");
    expect(listed.stdout).not.toContain(PASSWORD);
  });

  test("commands without a server log in too: session check, a crawl, and a watch that goes on", async () => {
    const members = await open();
    const login = join(shared.dir.path, "own-login.json");
    writeFileSync(login, JSON.stringify(stepsOf(members)));
    const state = ["--state", join(shared.dir.path, "own")];
    const secrets = { MEMBER: USER, MEMBER_PASSWORD: PASSWORD };
    const add = ["session", "add", "own", "--host", hostOf(members), "--login", login, "--signed-in", "a.log-out"];
    expect((await startWith(secrets, [...add, "--logins", "9", ...state]).ended).code).toBe(0);
    const picture = join(shared.dir.path, "own.jpg");
    const checked = await run("session", "check", "own", "--out", picture, ...state);
    expect(checked.code, checked.stdout + checked.stderr).toBe(0);
    expect(existsSync(picture)).toBe(true);
    members.expire();
    const seed = `${members.site.origin}/`;
    const crawled = await run("crawl", seed, "--session", "own", "--delay", "0", "--json", ...state);
    const done = { status: "completed", completed: 1 + PATHS.length };
    expect(JSON.parse(crawled.stdout), crawled.stderr).toMatchObject(done);
    expect(members.logIns).toBe(2);
  });

  test("a browser that does not start at once is started again", async () => {
    const members = await open();
    const login = join(shared.dir.path, "late-login.json");
    writeFileSync(login, JSON.stringify(stepsOf(members)));
    const [started, program] = [join(shared.dir.path, "started"), join(shared.dir.path, "late-browser")];
    const script = `#!/bin/sh\nif [ ! -e "${started}" ]; then : > "${started}"; exit 1; fi\nexec "${browser}" "$@"\n`;
    writeFileSync(program, script, { mode: 0o755 });
    const secrets = { MEMBER: USER, MEMBER_PASSWORD: PASSWORD, CHROME_PATH: program };
    const state = ["--state", join(shared.dir.path, "late")];
    const add = ["session", "add", "late", "--host", hostOf(members), "--login", login, "--signed-in", "a.log-out"];
    expect((await startWith(secrets, [...add, ...state]).ended).code).toBe(0);
    const checked = await startWith(secrets, ["session", "check", "late", ...state]).ended;
    expect(checked.code, checked.stdout + checked.stderr).toBe(0);
    expect(existsSync(started)).toBe(true);
    expect(members.logIns).toBe(1);
  });

  test("one that fails says at which step, and pauses the crawl", async () => {
    const members = await open();
    const name = await bring(members, {}, { secrets: { MEMBER: USER, MEMBER_PASSWORD: "wrong" } });
    const failed = await check(name);
    expect(failed.works).toBe(false);
    expect(failed.steps.at(-1)).toEqual({
      step: "wait for a.log-out",
      ok: false,
      detail: "the page has no a.log-out in sight",
    });
    expect(failed.page?.title).toBe("Log in");
    const paused = await rested(await crawlWith(members, name));
    expect(paused.status).toBe("paused");
    expect(paused.waitingFor).toContain(
      `signed-out: the log-in of the session ${name} did not work: “wait for a.log-out”`,
    );
    expect(members.given).toEqual([]);
    expect(members.asked.filter((asked) => asked === "GET /")).toEqual([]);
  });

  test.each([
    ["code" as const, "it asks for a one-time code, which needs a person"],
    ["captcha" as const, "it asks for a captcha, which needs a person"],
  ])("a person is needed for a %s, and what to do is said", async (asks, why) => {
    const members = await open({ asks });
    const name = await bring(members);
    const failed = await check(name);
    expect([failed.works, failed.why]).toEqual([false, expect.stringContaining(why)]);
    expect(failed.why).toContain(`orbweaver session add ${name} --cookie-file FILE`);
  });

  test("an account is logged in to three times a day, whatever its sessions are called", async () => {
    const members = await open({ pagesPerSession: 2 });
    const name = await bring(members, {}, { perDay: 3 });
    const paused = await rested(await crawlWith(members, name));
    expect(paused.status).toBe("paused");
    expect(paused.waitingFor).toContain("its account has had 3 log-ins within 24 hours");
    expect(members.logIns).toBe(3);
    const other = await bring(members, {}, { perDay: 3 });
    expect((await check(other)).why).toContain("3 log-ins within 24 hours");
    expect(members.logIns).toBe(3);
  });

  test("robots.txt holds for it", async () => {
    const members = await open({ robots: "User-agent: *\nDisallow: /login\n" });
    const name = await bring(members);
    const failed = await check(name);
    expect(failed.why).toContain("robots.txt forbids it");
    expect(members.asked).toEqual(["GET /robots.txt"]);
  });

  test("what was read with it goes with it, if somebody says so", async () => {
    const members = await open();
    const name = await bring(members);
    const id = await crawlWith(members, name);
    expect((await rested(id)).status).toBe("completed");
    const removed = await run("session", "remove", name, "--with-crawls", ...shared.served.remote);
    expect(removed.stdout).toContain(`Crawl ${id} is deleted.`);
    const headers = { authorization: `Bearer ${shared.served.token}` };
    expect((await fetch(`${shared.served.address}/api/crawls/${id}`, { headers })).status).toBe(404);
    expect(existsSync(join(shared.dir.path, "served"))).toBe(true);
  });
});
