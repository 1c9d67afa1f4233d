import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import type { Gate } from "../../src/host/gate-protocol.ts";

/**
 * OWN_HOSTS of this test's Worker is "own.test second.test". Neither name resolves, so a request for robots.txt fails.
 */

const policy = {
  minDelayMs: 0,
  maxDelayMs: 0,
  delayFactor: 0,
  concurrency: 1,
  timeoutMs: 5_000,
  userAgent: "Test/1",
};

async function verdictOn(origin: string): Promise<string | undefined> {
  const { hostname } = new URL(origin);
  const gate = env.HOST_GATE.get(env.HOST_GATE.idFromName(hostname)) as unknown as Gate;
  const urls = [{ crawl: "c", url: `${origin}/`, origin, uses: [], agent: "test" }];
  return (await gate.admit({ urls, policy })).verdicts[0]?.kind;
}

test.each(["https://own.test", "http://second.test:8080"])("%s is allowed without its robots.txt", async (origin) => {
  expect(await verdictOn(origin)).toBe("go");
});

test.each(["https://www.own.test", "https://own.test.example.invalid"])("%s needs its robots.txt", async (origin) => {
  expect(await verdictOn(origin)).not.toBe("go");
});
