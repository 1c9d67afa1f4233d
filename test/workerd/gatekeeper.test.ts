import { beforeAll, describe, expect, test } from "vitest";
import type { PageHeaders } from "../../src/crawl/page/outcome.ts";
import type { Resolution } from "../../src/fetch/transport/resolver.ts";
import type { AdmitRequest, Gate, LanePolicy, SettleRequest } from "../../src/host/gate-protocol.ts";
import { Gatekeeper } from "../../src/host/gatekeeper.ts";
import type { RobotsRead, RobotsRequest } from "../../src/host/robots-file.ts";
import type { RobotsExchange, RobotsFile } from "../../src/host/robots-state.ts";
import { countryOfAddress } from "../../src/url/address-country.ts";
import { ownershipOf } from "./ownership-of.ts";

/** A gate with a clock, a storage and a network of this test's. */

const ORIGIN = "https://a.test";
const POLICY: LanePolicy = {
  minDelayMs: 1_000,
  maxDelayMs: 30_000,
  delayFactor: 5,
  concurrency: 1,
  timeoutMs: 30_000,
  userAgent: "Test/1",
};
/** https://developers.cloudflare.com/durable-objects/platform/limits/ */
const MAX_VALUE = 2_097_152;
const READ: RobotsFile = { state: "allow-all", fetchedAt: 0 };

class Host {
  now = 0;
  readonly stored = new Map<string, unknown>();
  /** The requests for robots.txt that have not been answered, by origin. */
  readonly asked = new Map<string, (file: RobotsFile) => Promise<void>>();
  /** What the gate stays in memory for. */
  readonly alive: Promise<unknown>[] = [];
  /** What came with each robots.txt; none by default. */
  exchanges: RobotsExchange[] | undefined;
  /** What the resolver answers, one after the other; without an answer it never does. */
  readonly resolutions: Resolution[] = [];
  /** The names that it was asked for. */
  readonly names: string[] = [];
  #sleeping: { until: number; wake: () => void }[] = [];
  gate = this.restart();

  /** A gate that has forgotten all but its storage. */
  restart(): Gatekeeper {
    const sleep = (ms: number) =>
      ms <= 0
        ? Promise.resolve()
        : new Promise<void>((wake) => this.#sleeping.push({ until: this.now + ms, wake: () => wake() }));
    this.gate = new Gatekeeper({
      storage: {
        get: <T>(key: string) => structuredClone(this.stored.get(key)) as T | undefined,
        put: (key, value) => {
          if (JSON.stringify(value).length > MAX_VALUE) throw new Error("string or blob too big: SQLITE_TOOBIG");
          this.stored.set(key, structuredClone(value));
        },
      },
      clock: { now: () => this.now, sleep, speed: 1 },
      fetchRobots: (origin, request) => this.#fetch(origin, request),
      gate: () => this.gate,
      resolve: (hostname) => {
        this.names.push(hostname);
        const resolution = this.resolutions.shift();
        return resolution === undefined ? new Promise(() => undefined) : Promise.resolve(resolution);
      },
      ...ownershipOf(),
      boot: "",
      patience: () => sleep(500),
      keepAlive: (work) => void this.alive.push(work),
    });
    return this.gate;
  }

  async pass(ms: number): Promise<void> {
    await settled();
    this.now += ms;
    const due = this.#sleeping.filter(({ until }) => until <= this.now);
    this.#sleeping = this.#sleeping.filter(({ until }) => until > this.now);
    for (const { wake } of due) wake();
    await settled();
  }

  async #fetch(origin: string, request: RobotsRequest): Promise<RobotsRead> {
    const hold = await request.holdHost(`${origin}/robots.txt`);
    const file = await new Promise<RobotsFile>((resolve) => {
      this.asked.set(origin, async (answer) => {
        this.asked.delete(origin);
        resolve(answer);
        await settled();
      });
    });
    await hold.release(100, true);
    const { exchanges } = this;
    return { file, durationMs: 100, answered: true, ...(exchanges === undefined ? {} : { exchanges }) };
  }
}

/** Lets everything that is ready go on. */
const settled = () => new Promise((resolve) => setTimeout(resolve));

function ask(url: string, crawl = "c"): AdmitRequest {
  const { origin } = new URL(url);
  return { urls: [{ crawl, epoch: 1, url, origin, agent: "test", uses: [] }], policy: POLICY };
}

function report(token: string, changes: Partial<SettleRequest> = {}): SettleRequest {
  const base = { nextAt: 0, lastDurationMs: 100, answered: true, failure: null, sending: [] };
  return { token, ...base, policy: POLICY, crawlDelayMs: null, ...changes };
}

test("a robots.txt at a private address is asked for at once by a crawl that names the host, and by no other", async () => {
  const host = new Host();
  const refused = {
    state: "unreachable",
    reason: "private-address",
    final: true,
    named: [],
    detail: "10.0.0.1",
  } as const;
  const naming = (privateHosts: string[]): AdmitRequest => {
    const { urls, policy } = ask(`${ORIGIN}/1`);
    return { urls: urls.map((each) => ({ ...each, privateHosts })), policy };
  };
  const denied = { kind: "denied", reason: "private-address", detail: "10.0.0.1" };
  const first = host.gate.admit(ask(`${ORIGIN}/1`));
  await host.pass(0);
  await host.asked.get(ORIGIN)?.({ ...refused, firstAt: 0, failures: 1, lastAt: 0, retryAt: 3_600_000 });
  expect((await first).verdicts).toEqual([denied]);
  await host.pass(30_000);
  expect((await host.gate.admit(naming([]))).verdicts).toEqual([denied]);
  const named = host.gate.admit(naming(["a.test"]));
  await host.pass(0);
  await host.asked.get(ORIGIN)?.({ ...READ, fetchedAt: host.now });
  expect((await named).verdicts).toEqual([{ kind: "go", lost: false }]);
});

test("a gate that is replaced while it reads a robots.txt rests before the next request", async () => {
  const host = new Host();
  const first = host.gate.admit(ask(`${ORIGIN}/1`));
  await host.pass(500);
  await first;
  expect(host.asked.size).toBe(1);
  host.asked.clear();
  host.restart();
  const second = host.gate.admit(ask(`${ORIGIN}/1`));
  await host.pass(0);
  expect(host.asked.size).toBe(0);
  expect((await second).verdicts).toMatchObject([{ kind: "wait" }]);
  await host.pass(500);
  const third = host.gate.admit(ask(`${ORIGIN}/1`));
  await host.pass(0);
  await host.asked.get(ORIGIN)?.({ ...READ, fetchedAt: host.now });
  expect(await third).toMatchObject({ lane: { startAt: 2_000 } });
  expect(host.now).toBe(1_000);
});

describe("a robots.txt that does not answer", () => {
  test("holds admit up for half a second, and is read on", async () => {
    const host = new Host();
    const admission = host.gate.admit(ask(`${ORIGIN}/1`));
    await host.pass(499);
    expect(host.asked.size).toBe(1);
    await host.pass(1);
    expect(await admission).toMatchObject({ verdicts: [{ kind: "wait", delayMs: 1_000, why: null }], lane: null });
    expect(host.gate.isAtRest).toBe(false);
    expect(host.alive).toHaveLength(1);
    await host.asked.get(ORIGIN)?.({ ...READ, fetchedAt: host.now });
    await host.alive[0];
    await host.pass(1_000);
    expect((await host.gate.admit(ask(`${ORIGIN}/1`))).verdicts).toEqual([{ kind: "go", lost: false }]);
  });

  test("quotes delays that grow with the time that it takes", async () => {
    const host = new Host();
    const delays: number[] = [];
    for (let waited = 0; waited < 120_000; ) {
      const admission = host.gate.admit(ask(`${ORIGIN}/1`));
      await host.pass(500);
      const [verdict] = (await admission).verdicts;
      const delayMs = verdict?.kind === "wait" ? verdict.delayMs : Number.NaN;
      delays.push(delayMs);
      await host.pass(delayMs);
      waited += 500 + delayMs;
    }
    expect(delays).toEqual([1_000, 2_000, 4_500, 9_500, 19_500, 30_000, 30_000, 30_000]);
  });

  test("holds up no other crawl and no other origin of the host for longer than that", async () => {
    const host = new Host();
    const admissions = [
      host.gate.admit(ask(`${ORIGIN}/1`, "a")),
      host.gate.admit(ask(`${ORIGIN}/2`, "b")),
      host.gate.admit(ask("http://a.test/3", "c")),
      host.gate.admit(ask("http://a.test:8080/4", "c")),
    ];
    await host.pass(500);
    for (const { verdicts } of await Promise.all(admissions)) expect(verdicts[0]?.kind).toBe("wait");
    // One request at a time for all origins of a host.
    expect([...host.asked.keys()]).toEqual([ORIGIN]);
  });

  test("holds up the URLs of an origin whose file is known, but not admit", async () => {
    const host = new Host();
    host.stored.set("robots:http://a.test", READ);
    const first = host.gate.admit(ask(`${ORIGIN}/1`));
    await settled();
    expect(await host.gate.admit(ask("http://a.test/2"))).toMatchObject({ verdicts: [{ kind: "wait" }], lane: null });
    await host.pass(500);
    await first;
  });

  test("is waited for by inspect", async () => {
    const host = new Host();
    const { agent, uses, origin } = ask(`${ORIGIN}/1`).urls[0] as AdmitRequest["urls"][number];
    const inspection = host.gate.inspect({ origin, url: `${ORIGIN}/1`, agent, uses, policy: POLICY });
    await host.pass(20_000);
    await host.asked.get(ORIGIN)?.(READ);
    expect((await inspection).robots).toMatchObject({ state: "allow-all", allowed: true });
  });
});

test("answers that are too large to be stored cost their records, and neither the file nor the rest after it", async () => {
  const host = new Host();
  const exchange = { url: `${ORIGIN}/robots.txt`, date: 0, durationMs: 100, requestHeaders: [], status: 200 };
  const headers: PageHeaders = [["x-long", "x".repeat(MAX_VALUE)]];
  host.exchanges = [{ ...exchange, statusText: "OK", headers, body: new Uint8Array(0), complete: true }];
  const admission = host.gate.admit(ask(`${ORIGIN}/1`));
  await settled();
  await host.asked.get(ORIGIN)?.({ ...READ, fetchedAt: host.now });
  expect((await admission).verdicts).toMatchObject([{ kind: "go" }]);
  expect([...host.stored.keys()].toSorted()).toEqual(["host", `robots:${ORIGIN}`]);
  expect(host.stored.get("host")).toMatchObject({ answered: true });
});

describe("lend", () => {
  const request = { origin: ORIGIN, agent: "test", policy: POLICY };

  test("gives a lane at the host's pace, and settle gives it back", async () => {
    const host = new Host();
    const answer = await host.gate.lend(request);
    if (!("lent" in answer)) throw new Error("it lent nothing");
    expect(answer.lent.startAt).toBe(0);
    expect(await host.gate.lend(request)).toEqual({ retryAt: 0 });
    await host.gate.settle(report(answer.lent.token, { nextAt: 1_500 }));
    expect(host.gate.isAtRest).toBe(true);
  });

  test("after a lost lane starts when the host has rested from that lane's last request", async () => {
    const host = new Host();
    host.stored.set(`robots:${ORIGIN}`, READ);
    await host.gate.settle(report("", { lastDurationMs: 600 }));
    const { lane } = await host.gate.admit(ask(`${ORIGIN}/1`));
    expect(lane).not.toBeNull();
    // Its lease ended at 66 s, and its last request at that time at the latest.
    host.now = 66_500;
    const answer = await host.gate.lend(request);
    expect(answer).toMatchObject({ lent: { startAt: 69_000 } });
  });

  test("after a lost lane of a slow host lends nothing before it has rested", async () => {
    const host = new Host();
    host.stored.set(`robots:${ORIGIN}`, READ);
    await host.gate.settle(report("", { lastDurationMs: 5_000 }));
    await host.gate.admit(ask(`${ORIGIN}/1`));
    host.now = 66_500;
    expect(await host.gate.lend(request)).toEqual({ retryAt: 91_000 });
    expect(host.gate.isAtRest).toBe(true);
  });
});

test("status and inspect say which crawls have a turn first, and a wait says why", async () => {
  const host = new Host();
  host.stored.set(`robots:${ORIGIN}`, READ);
  const { lane } = await host.gate.admit(ask(`${ORIGIN}/1`, "first"));
  const [refused] = (await host.gate.admit(ask(`${ORIGIN}/2`, "second"))).verdicts;
  expect(refused).toMatchObject({ kind: "wait", why: "another crawl has its turn on a.test (first)" });
  const common = { origin: ORIGIN, agent: "test", policy: POLICY };
  const status = (crawl: string) => host.gate.status({ ...common, crawl, origins: [ORIGIN] });
  expect(await status("second")).toMatchObject({ busy: true, before: ["first"] });
  await host.gate.settle(report(lane?.token ?? "", { nextAt: 1_000 }));
  host.now = 1_000;
  expect(await status("second")).toMatchObject({ busy: false, before: [] });
  const inspection = await host.gate.inspect({ ...common, crawl: "first", url: `${ORIGIN}/1`, uses: [] });
  expect(inspection.before).toEqual(["second"]);
});

test("a clock that is set back a day makes nobody wait for longer, in memory or from storage", async () => {
  for (const restarts of [false, true]) {
    const host = new Host();
    host.now = 86_400_000;
    host.stored.set(`robots:${ORIGIN}`, { ...READ, fetchedAt: 86_400_000 });
    const { lane } = await host.gate.admit(ask(`${ORIGIN}/1`));
    await host.gate.settle(report(lane?.token ?? "", { nextAt: host.now + 2_000 }));
    host.now = 1;
    host.stored.set(`robots:${ORIGIN}`, READ);
    const gate = restarts ? host.restart() : host.gate;
    expect((await gate.status({ origins: [], agent: "test", policy: POLICY })).nextAt).toBe(2_001);
  }
});

/** Requests and answers as recorded from version 0.1.0 (commit 07e37a0). */
describe("across a deployment", () => {
  const OLD_ADMIT = {
    urls: [
      { crawl: "c", url: `${ORIGIN}/1`, origin: ORIGIN, agent: "test", uses: [] },
      { crawl: "d", url: `${ORIGIN}/2`, origin: ORIGIN, agent: "test", uses: [], sitemaps: true },
    ],
    policy: POLICY,
  };
  const OLD_SETTLE = {
    nextAt: 2_000,
    lastDurationMs: 120,
    answered: true,
    failure: null,
    sending: [{ crawl: "c", epoch: 1, count: 2 }],
    policy: POLICY,
    crawlDelayMs: null,
  };

  test("a new gate answers old callers", async () => {
    const host = new Host();
    host.stored.set(`robots:${ORIGIN}`, READ);
    const gate: Gate = host.gate;
    const { lane, verdicts } = await gate.admit(OLD_ADMIT);
    expect(verdicts).toEqual(Array(2).fill({ kind: "go", lost: false }));
    expect(await gate.settle({ token: lane?.token ?? "", ...OLD_SETTLE })).toEqual([[2_000, 2_000]]);
    expect(await gate.status({ origins: [ORIGIN], agent: "test", policy: POLICY })).toMatchObject({ before: [] });
    const inspection = await gate.inspect({ origin: ORIGIN, url: ORIGIN, agent: "test", uses: [], policy: POLICY });
    expect(inspection).toMatchObject({ busy: false, before: [] });
    const lent = await gate.lend({ origin: ORIGIN, agent: "test", policy: POLICY });
    expect(lent).toMatchObject({ lent: { startAt: 2_000 } });
  });

  test("an old caller's settle leaves the number of dropped requests to the answer", async () => {
    const host = new Host();
    host.stored.set(`robots:${ORIGIN}`, READ);
    await host.gate.settle(report("", { drops: 4, answered: false }));
    await host.gate.settle(report("", { answered: false }));
    expect((await host.gate.admit(ask(`${ORIGIN}/1`))).lane?.drops).toBe(4);
    await host.gate.settle(report("", { answered: true }));
    expect(host.stored.get("host")).toMatchObject({ drops: 0 });
  });
});

describe("the country of a host", () => {
  const CHINA: Resolution = { kind: "found", addresses: ["1.2.4.8"] };
  // Loads the table, so that no time of the tests passes meanwhile.
  beforeAll(() => countryOfAddress("1.2.4.8"));

  const UNANSWERED: Resolution = { kind: "unanswered", why: "its code is 2" };

  const within = (countries: string[], url = `${ORIGIN}/1`): AdmitRequest => {
    const { urls, policy } = ask(url);
    return { urls: urls.map((asked) => ({ ...asked, countries })), policy };
  };

  async function firstVerdict(host: Host, request: AdmitRequest) {
    const admission = host.gate.admit(request);
    await settled();
    await host.pass(500);
    return (await admission).verdicts[0];
  }

  test("is asked once, and nothing is asked of a host in another country", async () => {
    const host = new Host();
    host.resolutions.push(CHINA);
    const detail = "its address 1.2.4.8 is in China (CN)";
    const denied = { kind: "denied", reason: "country", detail };
    expect(await firstVerdict(host, within(["DE", "TW"]))).toEqual(denied);
    host.restart();
    expect(await firstVerdict(host, within(["DE"], "http://a.test:8080/"))).toEqual(denied);
    expect([host.names, host.asked.size]).toEqual([["a.test"], 0]);
    host.stored.set(`robots:${ORIGIN}`, READ);
    expect(await firstVerdict(host, within(["TW", "CN"]))).toMatchObject({ kind: "go" });
    expect(await firstVerdict(host, ask(`${ORIGIN}/2`))).toMatchObject({ kind: "wait" });
    expect(host.names).toEqual(["a.test"]);
  });

  test("is asked again after a month, and after a clock that was set back", async () => {
    const host = new Host();
    host.now = 40 * 86_400_000;
    host.resolutions.push(CHINA, CHINA, CHINA);
    await firstVerdict(host, within(["DE"]));
    host.now += 30 * 86_400_000;
    await firstVerdict(host, within(["DE"]));
    host.now = 0;
    await firstVerdict(host, within(["DE"]));
    expect(host.names).toHaveLength(3);
  });

  test("is not asked for a crawl of all countries", async () => {
    const host = new Host();
    host.stored.set(`robots:${ORIGIN}`, READ);
    expect(await firstVerdict(host, ask(`${ORIGIN}/1`))).toMatchObject({ kind: "go" });
    expect([host.names, [...host.stored.keys()].includes("country")]).toEqual([[], false]);
  });

  test("holds admit up for half a second, and keeps the gate in memory", async () => {
    const host = new Host();
    const admission = host.gate.admit(within(["CN"]));
    await host.pass(500);
    expect((await admission).verdicts).toEqual([{ kind: "wait", delayMs: 1_000, why: null }]);
    expect([host.gate.isAtRest, host.alive.length]).toEqual([false, 1]);
  });

  test("is the domain's after three questions without an answer, and the host is not lost", async () => {
    const host = new Host();
    host.stored.set(`robots:${ORIGIN}`, READ);
    host.resolutions.push(UNANSWERED, UNANSWERED, UNANSWERED);
    const why = "the resolver does not say where a.test is: its code is 2";
    for (const delayMs of [5_000, 10_000]) {
      const admission = host.gate.admit(within(["CN"]));
      await settled();
      expect((await admission).verdicts).toEqual([{ kind: "wait", delayMs, why }]);
      await host.pass(delayMs);
    }
    expect(await firstVerdict(host, within(["CN"]))).toMatchObject({ kind: "go" });
    expect(host.names).toHaveLength(3);
  });

  test("is told by inspect, which reads no robots.txt of a host in another country", async () => {
    const host = new Host();
    host.resolutions.push(CHINA);
    const asked = { origin: ORIGIN, url: `${ORIGIN}/1`, agent: "test", uses: [], policy: POLICY };
    const country = { allowed: false, detail: "its address 1.2.4.8 is in China (CN)" };
    const refused = await host.gate.inspect({ ...asked, countries: ["DE"] });
    expect(refused).toMatchObject({ country, robots: { state: "unread", allowed: null } });
    expect(host.asked.size).toBe(0);
    host.stored.set(`robots:${ORIGIN}`, READ);
    const allowed = await host.gate.inspect({ ...asked, countries: ["CN"] });
    expect(allowed).toMatchObject({ country: { ...country, allowed: true }, robots: { allowed: true } });
  });
});
