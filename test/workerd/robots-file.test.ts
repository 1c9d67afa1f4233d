import { afterEach, describe, expect, test, vi } from "vitest";
import { fetchRobots } from "../../src/host/robots-file.ts";
import type { RobotsFile } from "../../src/host/robots-state.ts";
import { judge } from "../../src/host/robots-verdict.ts";

/** When a robots.txt that cannot be read is given up (RFC 9309, section 2.3.1.4), and what its URLs do until then. */

const ORIGIN = "https://a.test";
const MINUTE = 60_000;
const DAY = 86_400_000;

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A clock that stands at `now`, as an installation sets it. */
const clockAt = (now: number) => ({
  CLOCK: `${new Date(now).toISOString()} 0.000001 ${new Date().toISOString()}`,
  ALLOW_PRIVATE: "true",
});

async function ask(now: number, before: RobotsFile | undefined, answeredBefore = true): Promise<RobotsFile> {
  const hold = async () => ({ release: async () => undefined });
  const request = { userAgent: "Test/1", timeoutMs: 1_000, answeredBefore, holdHost: hold };
  return (await fetchRobots(ORIGIN, request, before, clockAt(now) as never)).file;
}

const answers = (status: number) => vi.stubGlobal("fetch", async () => new Response(null, { status }));
const fails = (message: string) =>
  vi.stubGlobal("fetch", async () => {
    throw new Error(message);
  });
const START = Date.parse("2030-01-01T00:00:00Z");
const asker = { agent: "test", uses: [] };
const verdictOn = (file: RobotsFile, now: number) => judge(file, asker, `${ORIGIN}/x`, now);

/** Asks as often as it is due, until `end`. */
async function askUntil(end: number, answeredBefore = true): Promise<{ file: RobotsFile; asked: number; now: number }> {
  let file: RobotsFile | undefined;
  let now = START;
  for (let asked = 1; ; asked++) {
    file = await ask(now, file, answeredBefore);
    const isOver = file.state === "given-up" || (file.state === "unreachable" && file.final);
    if (isOver || !("retryAt" in file) || file.retryAt > end) return { file, asked, now };
    now = file.retryAt;
  }
}

describe("an answer that forbids", () => {
  test("is given up after a day of failures in a row", async () => {
    answers(503);
    const { file, now } = await askUntil(START + 2 * DAY);
    expect(file.state).toBe("given-up");
    expect(now - START).toBeGreaterThanOrEqual(DAY);
  });

  test("does not count a failure of a month ago", async () => {
    answers(503);
    const first = await ask(START, undefined);
    const second = await ask(START + 30 * DAY, first);
    expect(second).toMatchObject({ state: "silent", failures: 1 });
    expect("firstAt" in second && second.firstAt - START).toBeGreaterThanOrEqual(30 * DAY);
  });

  test("does not count one that an older version stored a month ago", async () => {
    answers(503);
    const stored = { state: "silent", detail: "503", firstAt: START, failures: 1, retryAt: START + 10_000 } as const;
    expect((await ask(START + 30 * DAY, stored)).state).toBe("silent");
  });

  test("counts one that was asked for again somewhat late", async () => {
    answers(503);
    const first = await ask(START, undefined);
    expect(await ask(START + 90 * MINUTE, first)).toMatchObject({ failures: 2 });
  });
});

describe("no answer", () => {
  test("makes the URLs of a host that has answered before wait, for a day at most, and costs no try", async () => {
    fails("Network connection lost.");
    const first = await ask(START, undefined);
    expect(verdictOn(first, START)).toMatchObject({ kind: "wait", why: expect.stringContaining("dropped") });
    const { file, now, asked } = await askUntil(START + 2 * DAY);
    expect(verdictOn(file, now)).toMatchObject({ kind: "denied", reason: "connection" });
    expect(now - START).toBeGreaterThanOrEqual(DAY);
    expect(asked).toBeLessThan(50);
  });

  test("of a host that has never answered is given up after five requests, or at once if it drops the connection", async () => {
    fails("internal error");
    const { file, now, asked } = await askUntil(START + 2 * DAY, false);
    expect(verdictOn(file, now)).toMatchObject({ kind: "denied", reason: "network" });
    expect(asked).toBe(5);
    fails("Network connection lost.");
    expect(verdictOn(await ask(START, undefined, false), START)).toMatchObject({
      kind: "denied",
      reason: "connection",
    });
  });

  test("of a host whose name does not resolve is given up at once, as nothing of it was ever there", async () => {
    const edge = { status: 530, headers: { server: "cloudflare" } };
    vi.stubGlobal("fetch", async () => new Response(null, edge));
    const file = await ask(START, undefined, false);
    expect(verdictOn(file, START)).toMatchObject({ kind: "denied", reason: "dns" });
    const known = await ask(START, undefined, true);
    expect(verdictOn(known, START)?.kind).toBe("wait");
  });
});
