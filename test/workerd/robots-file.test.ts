import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
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
  const request = { userAgent: "Test/1", timeoutMs: 1_000, privateHosts: [], answeredBefore, holdHost: hold };
  return (await fetchRobots(ORIGIN, request, before, clockAt(now) as never)).file;
}

const answers = (status: number) => vi.stubGlobal("fetch", async () => new Response(null, { status }));
const fails = (message: string) =>
  vi.stubGlobal("fetch", async () => {
    throw new Error(message);
  });
/** A body that breaks off after some bytes. */
const breaksOff = () =>
  vi.stubGlobal("fetch", async () => {
    const { readable, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    void writer
      .write(new TextEncoder().encode("User-"))
      .then(() => writer.abort(new Error("Network connection lost.")))
      .catch(() => undefined);
    return new Response(readable);
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

test("a file whose transfer breaks off forbids for now, also on a host that was never asked before", async () => {
  breaksOff();
  const file = await ask(START, undefined, false);
  expect(verdictOn(file, START)).toMatchObject({
    kind: "wait",
    why: expect.stringContaining("the transfer broke off"),
  });
  const { file: last, now } = await askUntil(START + 2 * DAY, false);
  expect(verdictOn(last, now)).toMatchObject({ kind: "denied", reason: "robots-unreachable" });
  expect(now - START).toBeGreaterThanOrEqual(DAY);
});

describe("no answer", () => {
  test("makes the URLs of a host that has answered before wait, for a day at most, and costs no try", async () => {
    fails("internal error");
    const first = await ask(START, undefined);
    expect(verdictOn(first, START)).toMatchObject({
      kind: "wait",
      why: expect.stringContaining("no connection: an unknown name"),
    });
    const { file, now, asked } = await askUntil(START + 2 * DAY);
    expect(verdictOn(file, now)).toMatchObject({ kind: "denied", reason: "network" });
    expect(now - START).toBeGreaterThanOrEqual(DAY);
    expect(asked).toBeLessThan(50);
  });

  test("because it refuses connections is waited for as long as a server takes to restart, and no longer", async () => {
    fails("Network connection lost.");
    const { file, now, asked } = await askUntil(START + 2 * DAY);
    expect(verdictOn(file, now)).toMatchObject({ kind: "denied", reason: "connection" });
    expect(asked).toBe(5);
    expect(now - START).toBeGreaterThan(2 * MINUTE);
  });

  test("ends a crawl that has had no answer yet as if the host had never answered one", async () => {
    fails("Network connection lost.");
    const refused = await ask(START, undefined);
    expect(verdictOn(refused, START)?.kind).toBe("wait");
    expect(judge(refused, { ...asker, isNew: true }, `${ORIGIN}/x`, START)).toMatchObject({ reason: "connection" });
    fails("internal error");
    const unclear = await ask(START, undefined);
    expect(judge(unclear, { ...asker, isNew: true }, `${ORIGIN}/x`, START)?.kind).toBe("wait");
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

test("a redirect to a URL that is too long is not followed, so there is no robots.txt", async () => {
  const asked: string[] = [];
  const location = `https://b.test/${"x".repeat(2_048)}`;
  vi.stubGlobal("fetch", async (url: string) => {
    asked.push(url);
    return new Response(null, { status: 302, headers: { location } });
  });
  expect((await ask(START, undefined)).state).toBe("allow-all");
  expect(asked).toEqual([`${ORIGIN}/robots.txt`]);
});

describe("a file in a coding", () => {
  const TEXT = "User-agent: *\nDisallow: /x\n";
  const bytes = new TextEncoder().encode(TEXT);
  /** A zstd frame with one raw block (RFC 8878). */
  const zstd = [0x28, 0xb5, 0x2f, 0xfd, 0x20, bytes.length, (bytes.length << 3) | 1, 0, 0, ...bytes];
  const utf16 = (littleEndian: boolean, text: string) => {
    const view = new DataView(new ArrayBuffer(2 * text.length));
    for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), littleEndian);
    return view.buffer;
  };
  const answersWith = (body: BodyInit, coding: string | null) =>
    vi.stubGlobal("fetch", async () => {
      const headers = new Headers(coding === null ? [] : [["content-encoding", coding]]);
      return new Response(body, { headers, encodeBody: "manual" });
    });

  test.each<[name: string, body: BodyInit, coding: string | null]>([
    ["GZIP in capitals", gzipSync(TEXT), "GZIP"],
    ["Deflate in capitals", deflateSync(TEXT), "Deflate"],
    ["a coding twice", gzipSync(gzipSync(TEXT)), "gzip, GZIP"],
    ["a coding that the server only names", TEXT, "utf-8"],
    ["UTF-16LE with a mark", utf16(true, `\ufeff${TEXT}`), null],
    ["UTF-16BE with a mark", utf16(false, `\ufeff${TEXT}`), null],
    ["UTF-16LE without a mark", utf16(true, TEXT), null],
    ["UTF-16BE without a mark", utf16(false, TEXT), null],
    ["UTF-8 with a stray control character", `# \x01\n${TEXT}`, null],
  ])("%s is read", async (_name, body, coding) => {
    answersWith(body, coding);
    expect(verdictOn(await ask(START, undefined), START)).toMatchObject({
      kind: "denied",
      detail: "Disallow: /x (for *)",
    });
  });

  test.each<[name: string, body: BodyInit, coding: string | null, says: string]>([
    ["an unknown coding", gzipSync(TEXT), "x-own", "its content-encoding is x-own"],
    ["an unknown coding with text in it", new Uint8Array(zstd), "x-own", "its content-encoding is x-own"],
    ["a coding that it is not in", deflateSync(TEXT).fill(7, 4), "Deflate", "not in its content-encoding"],
    ["gzip that no header names", gzipSync(TEXT), null, "it is not text"],
    ["zstd that no header names", new Uint8Array(zstd), null, "it is not text"],
    ["brotli that no header names", brotliCompressSync(TEXT), null, "it is not text"],
  ])("%s forbids for now, like a 5xx", async (_name, body, coding, says) => {
    answersWith(body, coding);
    const file = await ask(START, undefined, false);
    expect(verdictOn(file, START)).toMatchObject({ kind: "wait", why: expect.stringContaining(says) });
    const { file: last, now } = await askUntil(START + 2 * DAY, false);
    expect(verdictOn(last, now)).toMatchObject({ kind: "denied", reason: "robots-unreachable" });
    expect(now - START).toBeGreaterThanOrEqual(DAY);
  });

  test.each<[name: string, body: BodyInit, coding: string]>([
    ["BR in capitals", brotliCompressSync(TEXT), "BR"],
    ["zstd", new Uint8Array(zstd), "zstd"],
  ])("%s is read, because this platform can read it", async (_name, body, coding) => {
    answersWith(body, coding);
    expect(verdictOn(await ask(START, undefined), START)).toMatchObject({ kind: "denied", detail: expect.any(String) });
  });

  test.each<[name: string, body: BodyInit, coding?: string]>([
    ["an empty file", ""],
    ["a file of comments", "# nothing is forbidden\n"],
    ["a file of comments in a coding that the server only names", "# nothing is forbidden\n", "none"],
    ["an HTML page", "<!doctype html><title>Welcome</title>"],
  ])("%s allows all", async (_name, body, coding) => {
    answersWith(body, coding ?? null);
    expect(verdictOn(await ask(START, undefined), START)).toBeNull();
  });
});
