import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { resolve } from "../../../src/fetch/transport/resolver.ts";
import { type Site, startSite } from "../../sites/site.ts";

/** DNS over HTTPS in JSON, with a resolver on loopback whose answers the test sets. */

interface RecordJson {
  type: number;
  TTL: number;
  data: string;
}
type Say = { status?: number; body?: string; Status?: number; Answer?: RecordJson[] } | "silence";

const A = (data: string, TTL = 300) => ({ type: 1, TTL, data });
const AAAA = (data: string, TTL = 300) => ({ type: 28, TTL, data });
const CNAME = (data: string, TTL = 300) => ({ type: 5, TTL, data });

let resolver: Site;
let says: { A: Say; AAAA: Say };
let names = 0;
/** Each test has its own name, because answers are cached. */
let name: string;

const ask = (signal = new AbortController().signal) => resolve(name, `${resolver.origin}/dns-query?keep=1`, signal);
const questions = () => resolver.log.map(({ path }) => path);

beforeAll(async () => {
  resolver = await startSite(({ url = "", headers }, response) => {
    const asked = new URL(url, "http://resolver/").searchParams;
    const say = says[asked.get("type") as "A" | "AAAA"];
    if (say === "silence") return;
    const { status = 200, body, Status = 0, Answer } = say;
    if (headers.accept !== "application/dns-json") return void response.writeHead(415).end();
    response.writeHead(status, { "content-type": "application/dns-json", location: "/elsewhere" });
    response.end(body ?? JSON.stringify({ Status, TC: false, Question: [], ...(Answer ? { Answer } : {}) }));
  });
  return () => resolver.close();
});

beforeEach(() => {
  name = `n${names++}.example`;
  resolver.log.length = 0;
});

afterEach(() => {
  vi.useRealTimers();
});

test("both address families are asked for, and the parameters of the resolver's URL stay", async () => {
  says = { A: { Answer: [A("192.0.2.1")] }, AAAA: {} };
  await ask();
  expect(questions().sort()).toEqual([
    `/dns-query?keep=1&name=${name}&type=A`,
    `/dns-query?keep=1&name=${name}&type=AAAA`,
  ]);
});

describe("an answer", () => {
  test.each<[string, Say, Say, string[]]>([
    ["an address", { Answer: [A("192.0.2.1")] }, {}, ["192.0.2.1"]],
    ["two families", { Answer: [A("192.0.2.1")] }, { Answer: [AAAA("2001:db8::1")] }, ["192.0.2.1", "[2001:db8::1]"]],
    ["IPv6 alone", {}, { Answer: [AAAA("::1")] }, ["[::1]"]],
    ["an alias", { Answer: [CNAME("a.example."), A("10.0.0.1")] }, { Answer: [CNAME("a.example.")] }, ["10.0.0.1"]],
    ["several", { Answer: [A("192.0.2.1"), A("127.0.0.1")] }, {}, ["192.0.2.1", "127.0.0.1"]],
  ])("%s", async (_, a, aaaa, addresses) => {
    says = { A: a, AAAA: aaaa };
    expect(await ask()).toEqual({ kind: "found", addresses });
  });

  test.each<[string, Say, Say]>([
    ["no such name", { Status: 3 }, { Status: 3 }],
    ["no address", {}, {}],
    ["an alias without an address", { Answer: [CNAME("a.example.")] }, {}],
  ])("%s", async (_, a, aaaa) => {
    says = { A: a, AAAA: aaaa };
    expect(await ask()).toEqual({ kind: "none" });
  });
});

describe("no answer to one of the two questions means no answer", () => {
  test.each<[string, Say, RegExp]>([
    ["SERVFAIL", { Status: 2 }, /code is 2/],
    ["REFUSED", { Status: 5 }, /code is 5/],
    ["an error", { status: 500 }, /answered 500/],
    ["a redirect", { status: 302 }, /answered 302/],
    ["no JSON", { body: "<html>" }, /JSON/],
    ["other JSON", { body: '{"Answer":[{"data":1}]}' }, /Status/],
  ])("%s", async (_, say, why) => {
    const other = { Answer: [A("192.0.2.1")] };
    const orders: [Say, Say][] = [
      [say, other],
      [other, say],
    ];
    for (const [a, aaaa] of orders) {
      says = { A: a, AAAA: aaaa };
      expect(await ask()).toEqual({ kind: "unanswered", why: expect.stringMatching(why) });
    }
  });

  test("no reply before the caller gives up", async () => {
    says = { A: { Answer: [A("192.0.2.1")] }, AAAA: "silence" };
    const controller = new AbortController();
    const resolution = ask(controller.signal);
    while (resolver.log.length < 2) await new Promise((done) => setImmediate(done));
    controller.abort();
    expect((await resolution).kind).toBe("unanswered");
  });
});

describe("how long an answer is cached", () => {
  test.each<[string, Say, number]>([
    ["its TTL", { Answer: [A("192.0.2.1", 300)] }, 300],
    ["the shortest TTL", { Answer: [CNAME("a.example.", 120), A("192.0.2.1", 300)] }, 120],
    ["a minute at least", { Answer: [A("192.0.2.1", 0)] }, 60],
    ["an hour at most", { Answer: [A("192.0.2.1", 86_400)] }, 3_600],
    ["no address: a minute", { Status: 3 }, 60],
  ])("%s", async (_, a, seconds) => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000 });
    says = { A: a, AAAA: { Status: (a as { Status?: number }).Status ?? 0 } };
    const first = await ask();
    vi.setSystemTime(1_000_000 + seconds * 1_000 - 1);
    expect(await ask()).toEqual(first);
    expect(questions()).toHaveLength(2);
    vi.setSystemTime(1_000_000 + seconds * 1_000);
    expect(await ask()).toEqual(first);
    expect(questions()).toHaveLength(4);
  });

  test("no answer: not at all", async () => {
    says = { A: { Status: 2 }, AAAA: {} };
    expect((await ask()).kind).toBe("unanswered");
    says = { A: { Answer: [A("192.0.2.1")] }, AAAA: {} };
    expect((await ask()).kind).toBe("found");
  });

  test("at most 5,000 names", async () => {
    says = { A: { Answer: [A("192.0.2.1")] }, AAAA: {} };
    await ask();
    const url = `${resolver.origin}/dns-query?keep=1`;
    vi.stubGlobal("fetch", async () => Response.json({ Status: 3 }));
    for (let at = 0; at < 5_000; at++) await resolve(`other${at}.example`, url, AbortSignal.timeout(60_000));
    vi.unstubAllGlobals();
    resolver.log.length = 0;
    await ask();
    expect(questions()).toHaveLength(2);
  });
});
