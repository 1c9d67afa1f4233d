import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { TextResolution } from "../../src/fetch/transport/resolver.ts";
import type { AdmitRequest } from "../../src/host/gate-protocol.ts";
import { Gatekeeper } from "../../src/host/gatekeeper.ts";
import { fetchProof } from "../../src/host/ownership-proof.ts";
import type { RobotsFile } from "../../src/host/robots-state.ts";
import { parseRobots } from "../../src/robots/parse.ts";
import { readOwnHosts } from "../../src/url/own-host.ts";

/** A gate whose host may prove whose it is: by a file, which is really asked for, or by a DNS record. */

const ORIGIN = "https://www.site.org";
const FILE = `${ORIGIN}/.well-known/orbweaver`;
const KEY = "0123456789abcdef0123456789abcdef";
const HOUR_MS = 3_600_000;
const POLICY = {
  ...{ minDelayMs: 0, maxDelayMs: 0, delayFactor: 0, concurrency: 32 },
  ...{ timeoutMs: 5_000, userAgent: KEY },
};

/** What the host's file answers. */
let answer: () => Response;
/** The requests, with their times. */
let requests: { url: string; at: number }[];
beforeEach(() => {
  requests = [];
});
afterEach(() => vi.unstubAllGlobals());

class Host {
  now = 1_000_000_000;
  readonly stored = new Map<string, unknown>();
  texts: TextResolution = { kind: "found", texts: [] };
  robots: RobotsFile = { state: "allow-all", fetchedAt: 0 };
  readonly names: string[] = [];
  readonly gate: Gatekeeper;

  constructor() {
    vi.stubGlobal("fetch", async (url: string) => {
      requests.push({ url, at: this.now });
      return answer();
    });
    const sleep = async (ms: number) => {
      this.now += Math.max(0, ms);
    };
    this.gate = new Gatekeeper({
      storage: {
        get: <T>(key: string) => structuredClone(this.stored.get(key)) as T | undefined,
        put: (key, value) => void this.stored.set(key, structuredClone(value)),
      },
      clock: { now: () => this.now, sleep, speed: 1 },
      fetchRobots: async (origin, request) => {
        const hold = await request.holdHost(`${origin}/robots.txt`);
        requests.push({ url: `${origin}/robots.txt`, at: this.now });
        await hold.release(0, true);
        return { file: { ...this.robots, fetchedAt: this.now } as RobotsFile, durationMs: 0, answered: true };
      },
      gate: () => this.gate,
      resolve: async () => ({ kind: "none" }),
      ownHosts: readOwnHosts("*.listed.org"),
      installationKeys: async () => ["a-thumbprint", KEY],
      resolveText: async (name) => {
        this.names.push(name);
        return this.texts;
      },
      fetchProof: (origin, request, hold, keys) => fetchProof(origin, request, hold, keys, {}),
      boot: "",
      patience: () => new Promise(() => undefined),
      keepAlive: () => undefined,
    });
  }

  /** Asks for a lane and gives it back. Returns the connections and the delay that it allows. */
  async lane(wants: Partial<AdmitRequest["urls"][number]> = {}, policy = POLICY): Promise<string> {
    const { origin = ORIGIN } = wants;
    // A robots.txt is read when the host has rested.
    this.now += 1_000;
    const url = `${origin}/page`;
    const { lane, verdicts } = await this.gate.admit({
      urls: [{ crawl: "c", url, origin, agent: "test", uses: [], ...wants }],
      policy,
    });
    if (lane === null) return verdicts[0]?.kind ?? "none";
    const report = { token: lane.token, nextAt: this.now, lastDurationMs: 0, answered: true, failure: null };
    await this.gate.settle({ ...report, sending: [], policy, crawlDelayMs: null });
    return `${lane.concurrency} connections, ${lane.pace.minDelayMs} ms`;
  }
}

const OWN = "32 connections, 0 ms";
const GUEST = "2 connections, 200 ms";
const text = (body: BodyInit, headers: Record<string, string> = { "content-type": "text/plain" }) =>
  new Response(body, { headers });
const askedFile = () => requests.filter(({ url }) => url === FILE).length;

describe("the file", () => {
  test.each<[string, () => Response, string]>([
    ["the key alone", () => text(KEY), OWN],
    ["the key on a line of its own", () => text(`# ours\r\nanother-key\r\n  ${KEY}  \r\n`), OWN],
    ["the thumbprint of the identity", () => text("a-thumbprint\n"), OWN],
    ["no content type", () => text(new TextEncoder().encode(KEY), {}), OWN],
    ["bytes", () => text(KEY, { "content-type": "application/octet-stream" }), OWN],
    ["exactly 8 KiB", () => text(`${KEY}\n${"x".repeat(8_192 - KEY.length - 1)}`), OWN],
    ["a byte more", () => text(`${KEY}\n${"x".repeat(8_192 - KEY.length)}`), GUEST],
    ["another key", () => text("f".repeat(32)), GUEST],
    ["the key within a line, as an echo of the user agent has it", () => text(`you are ${KEY}`), GUEST],
    ["an HTML page", () => text(KEY, { "content-type": "text/html; charset=utf-8" }), GUEST],
    ["nothing", () => text(""), GUEST],
    ["404 with the key", () => new Response(KEY, { status: 404 }), GUEST],
    ["a redirect to another host", () => Response.redirect("https://evil.org/.well-known/orbweaver"), GUEST],
    ["a redirect on the host", () => Response.redirect(`${ORIGIN}/key.txt`), GUEST],
  ])("with %s", async (_, answered, expected) => {
    answer = answered;
    const host = new Host();
    expect(await host.lane()).toBe(expected);
    expect(requests.map(({ url }) => url)).toEqual([`${ORIGIN}/robots.txt`, FILE]);
    expect((requests[1]?.at ?? 0) - (requests[0]?.at ?? 0)).toBeGreaterThanOrEqual(200);
  });

  test("a request that fails proves nothing", async () => {
    answer = () => {
      throw new Error("Network connection lost.");
    };
    expect(await new Host().lane()).toBe(GUEST);
  });

  test("is not asked for where robots.txt forbids it, or cannot be read", async () => {
    answer = () => text(KEY);
    const host = new Host();
    host.robots = { state: "read", robots: parseRobots("User-agent: *\nDisallow: /.well-known/\n"), fetchedAt: 0 };
    expect(await host.lane()).toBe(GUEST);
    const silent = new Host();
    silent.robots = { state: "silent", detail: "503", firstAt: 0, failures: 1, retryAt: Number.MAX_SAFE_INTEGER };
    expect(await silent.lane()).toBe("wait");
    expect(askedFile()).toBe(0);
  });

  test("of another port is not asked for: who serves it need not have the host", async () => {
    answer = () => text(KEY);
    const host = new Host();
    expect(await host.lane({ origin: `${ORIGIN}:8443` })).toBe(GUEST);
    expect(requests.map(({ url }) => url)).toEqual([`${ORIGIN}:8443/robots.txt`]);
    expect(await host.lane()).toBe(OWN);
    expect(await host.lane({ origin: `${ORIGIN}:8443` })).toBe(OWN);
  });

  test("counts for a day; one that is gone then makes the host a guest's again", async () => {
    answer = () => text(KEY);
    const host = new Host();
    await host.lane();
    host.now += 23 * HOUR_MS;
    expect(await host.lane()).toBe(OWN);
    expect(askedFile()).toBe(1);
    answer = () => new Response(null, { status: 404 });
    host.now += 2 * HOUR_MS;
    expect(await host.lane()).toBe(GUEST);
    expect(askedFile()).toBe(2);
  });

  test("that is missing is asked for again after an hour, and not before", async () => {
    answer = () => new Response(null, { status: 404 });
    const host = new Host();
    for (const minutes of [0, 20, 39]) {
      host.now += minutes * 60_000;
      expect(await host.lane()).toBe(GUEST);
    }
    expect(askedFile()).toBe(1);
    answer = () => text(KEY);
    host.now += 2 * 60_000;
    expect(await host.lane()).toBe(OWN);
    expect(askedFile()).toBe(2);
  });

  test("that is answered by 429 gives the host its rest", async () => {
    answer = () => new Response(null, { status: 429, headers: { "retry-after": "120" } });
    const host = new Host();
    expect(await host.lane()).toBe("wait");
    const { nextAt, failures } = await host.gate.status({ origins: [ORIGIN], agent: "test", policy: POLICY });
    expect([nextAt - host.now, failures]).toEqual([120_000, 1]);
  });
});

test("a DNS record proves the host without a request to it", async () => {
  const host = new Host();
  host.texts = { kind: "found", texts: ["v=spf1 -all", KEY] };
  expect(await host.lane()).toBe(OWN);
  expect(host.names).toEqual(["_orbweaver.www.site.org"]);
  expect(askedFile()).toBe(0);
});

test.each<[string, TextResolution]>([
  ["has another key", { kind: "found", texts: ["f".repeat(32), `x${KEY}`] }],
  ["is not answered", { kind: "unanswered", why: "no answer" }],
])("a DNS record that %s proves nothing", async (_, texts) => {
  answer = () => new Response(null, { status: 404 });
  const host = new Host();
  host.texts = texts;
  expect(await host.lane()).toBe(GUEST);
});

test("no proof is looked for where nobody asks for more than a guest gets, and none for hosts that are own anyway", async () => {
  const host = new Host();
  const usual = { ...POLICY, minDelayMs: 200, maxDelayMs: 30_000, concurrency: 2 };
  await host.lane({}, usual);
  for (const origin of ["https://a.listed.org", "http://localhost:8080", "http://127.0.0.1"]) {
    expect(await host.lane({ origin })).toBe(OWN);
  }
  expect([askedFile(), host.names]).toEqual([0, []]);
});

test("to ignore robots.txt asks for a proof too, at whatever pace", async () => {
  answer = () => text(KEY);
  const host = new Host();
  host.robots = { state: "read", robots: parseRobots("User-agent: *\nDisallow: /page\n"), fetchedAt: 0 };
  const usual = { ...POLICY, minDelayMs: 1_000, maxDelayMs: 1_000, concurrency: 1 };
  expect(await host.lane({ ignoreRobots: true }, usual)).toBe("1 connections, 1000 ms");
  expect(await host.lane({}, usual)).toBe("denied");
});

test("URLs of an own and of another host's port in one lane have the limits of a guest", async () => {
  const host = new Host();
  host.texts = { kind: "unanswered", why: "no answer" };
  answer = () => new Response(null, { status: 404 });
  await host.lane();
  await host.lane({ origin: "https://a.listed.org" });
  const urls = ["https://a.listed.org", ORIGIN].map((origin) => {
    return { crawl: "c", url: `${origin}/`, origin, agent: "test", uses: [] };
  });
  const { lane } = await host.gate.admit({ urls, policy: POLICY });
  expect(lane).toMatchObject({ concurrency: 2, leastDelayMs: 200 });
});
