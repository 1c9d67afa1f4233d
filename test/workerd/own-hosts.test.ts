import { env, runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import type { AdmitRequest, Gate } from "../../src/host/gate-protocol.ts";
import { parseRobots } from "../../src/robots/parse.ts";

/**
 * The host gate of the Worker: OWN_HOSTS has `*.test`, and not guest.org. Neither name resolves, so a request fails.
 * Their robots.txt is in the gates' storage.
 */

const policy = {
  ...{ minDelayMs: 0, maxDelayMs: 0, delayFactor: 0, concurrency: 32 },
  ...{ timeoutMs: 5_000, userAgent: "Test/1" },
};

function gateOf(host: string) {
  return env.HOST_GATE.get(env.HOST_GATE.idFromName(host)) as unknown as Gate;
}

async function admit(origin: string, wants: Partial<AdmitRequest["urls"][number]> = {}, path = "/") {
  const urls = [{ crawl: "c", url: `${origin}${path}`, origin, uses: [], agent: "test", ...wants }];
  return gateOf(new URL(origin).hostname).admit({ urls, policy });
}

beforeAll(async () => {
  const robots = { state: "read", robots: parseRobots("User-agent: *\nDisallow: /private\n"), fetchedAt: Date.now() };
  for (const host of ["www.own.test", "www.guest.org", "10.0.0.5"])
    await runInDurableObject(env.HOST_GATE.get(env.HOST_GATE.idFromName(host)), (_, { storage }) => {
      for (const origin of [`https://${host}`, `https://${host}:8443`]) storage.kv.put(`robots:${origin}`, robots);
      // Proofs were looked for, and not found.
      const until = Date.now() + 3_000_000;
      const failed = { dns: { why: "none", until }, [`https://${host}`]: { why: "none", until } };
      storage.kv.put("ownership", { proven: null, failed });
    });
});

test("an own host gives what is asked for, and another one two connections and 0.2 s", async () => {
  const own = await admit("https://www.own.test");
  expect(own.lane).toMatchObject({ concurrency: 32, leastDelayMs: 0, pace: { minDelayMs: 0 } });
  const guest = await admit("https://www.guest.org");
  expect(guest.verdicts).toEqual([{ kind: "go", lost: false }]);
  expect(guest.lane).toMatchObject({ concurrency: 2, leastDelayMs: 200, pace: { minDelayMs: 200, maxDelayMs: 200 } });
});

test("robots.txt is obeyed on own hosts too, unless the crawl ignores it there; on others it always is", async () => {
  expect((await admit("https://www.own.test", {}, "/private")).verdicts[0]?.kind).toBe("denied");
  expect((await admit("https://www.own.test", { ignoreRobots: true }, "/private")).verdicts[0]?.kind).not.toBe(
    "denied",
  );
  expect((await admit("https://www.guest.org", { ignoreRobots: true }, "/private")).verdicts[0]?.kind).toBe("denied");
});

test("the robots.txt of an own host that is to be ignored is not asked for", async () => {
  expect((await admit("https://never.own.test", { ignoreRobots: true })).verdicts[0]?.kind).toBe("go");
  expect((await admit("https://never.own.test")).verdicts[0]?.kind).not.toBe("go");
});

test("a private host is own where the crawl names it, and a public one is not", async () => {
  expect((await admit("https://10.0.0.5")).lane).toMatchObject({ concurrency: 2 });
  const named = await gateOf("10.0.0.5").inspect({
    ...{ origin: "https://10.0.0.5", url: "https://10.0.0.5/", agent: "test", uses: [], policy },
    isNamedOwn: true,
  });
  expect(named).toMatchObject({ concurrency: 32, ownership: { evidence: { kind: "named" } } });
  const guest = await gateOf("www.guest.org").status({
    ...{ origins: ["https://www.guest.org"], agent: "test", policy, isNamedOwn: true },
  });
  expect(guest).toMatchObject({ concurrency: 2, restMs: 200, ownership: { evidence: null } });
});

test("a gate that lends a lane to another host's gate keeps its own limits", async () => {
  const answer = await gateOf("lends.guest.org").lend({ origin: "https://lends.guest.org", agent: "test", policy });
  expect(answer).toMatchObject({ lent: { pace: { minDelayMs: 200 } } });
  const own = await gateOf("lends.own.test").lend({ origin: "https://lends.own.test", agent: "test", policy });
  expect(own).toMatchObject({ lent: { pace: { minDelayMs: 0 } } });
});
