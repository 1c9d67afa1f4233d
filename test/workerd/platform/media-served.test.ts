import { expect, test } from "vitest";
import "../silence-log.ts";
import { expectPolite } from "./checks.ts";
import { finish } from "./deeds.ts";
import type { MediaServed } from "./media-served.ts";
import { Platform } from "./platform.ts";
import { clear, withStorage } from "./storage.ts";

/** The model's sounds: ranges of a body that comes in pieces, taken by the real fetcher of media. */

const HOME = "https://a.test/";
const SOUND = `${HOME}1.wav`;
const SERVED: MediaServed = {
  ...{ gaps: [100, 150_000, 100_000], isSound: true, ranges: "sent", etag: "a" },
  ...{ pieces: 3, pieceMs: 50, hasLength: true, end: "whole" },
};

/** Crawls a page that links to a sound. Returns how its row ended, and the ranges that were asked for. */
async function crawl(served: (attempt: number) => MediaServed) {
  const found = { end: "", ranges: [] as (string | null | undefined)[] };
  await withStorage(async (storage) => {
    clear(storage);
    const web = (url: string, attempt: number) => {
      if (url === SOUND) return { kind: "media" as const, ...served(attempt) };
      return url === HOME ? { kind: "page" as const, links: [SOUND] } : { kind: "status" as const, status: 404 };
    };
    const platform = new Platform(storage, { seed: 1, consumers: 1, web });
    await platform.run(async () => {
      const id = await platform.start([HOME], { media: true, timeoutMs: 5_000 });
      await finish(platform, id, null);
      const query = "SELECT status, reason, detail, media FROM urls WHERE crawl = ?1 AND url = ?2";
      const [row] = platform.database.rows<Record<string, string | null>>(query, id, SOUND);
      const { title, artist, album } = JSON.parse(row?.media ?? "{}");
      const tags = [title, artist, album].flatMap((tag) => tag?.split(" ")[0] ?? []).join(" ");
      found.end = [row?.reason, row?.reason === null ? row.detail : null, tags].filter(Boolean).join("; ");
    });
    expectPolite(platform, { delayMs: 1_000 });
    found.ranges = platform.web.requests.flatMap(({ url, range }) => (url === SOUND ? [range] : []));
  });
  return found;
}

const CUT = "the server sends no ranges, so only 65,536 bytes of it were read";
const [FIRST, SECOND, THIRD] = ["bytes=0-65535", "bytes=150202-215737", "bytes=215738-281273"];

test.each([
  ["a file in three ranges", {}, [FIRST, SECOND, THIRD], "INAM IART IPRD"],
  [
    "a transfer that breaks before its first byte",
    { end: "breaks", pieces: 1 },
    [FIRST, FIRST, SECOND, THIRD],
    "INAM IART IPRD",
  ],
  ["a transfer that breaks", { end: "breaks" }, [FIRST, SECOND, THIRD], "INAM IART IPRD"],
  ["a transfer that hangs", { end: "hangs" }, [FIRST, FIRST, SECOND, THIRD], "INAM IART IPRD"],
  ["another file at first", { etag: "b" }, [FIRST, SECOND], "range 2 did not come: the file changed in between; INAM"],
  ["a server without ranges", { ranges: "ignored" }, [FIRST], `${CUT}; INAM`],
  ["a server that refuses ranges", { ranges: "refused" }, [FIRST], "http-status"],
  [
    "a server that gives the first range alone",
    { ranges: "first alone" },
    [FIRST, SECOND],
    "range 2 did not come: 416; INAM",
  ],
  ["a text", { isSound: false }, [FIRST], "parse"],
] as const)("%s", async (_, what, ranges, end) => {
  // Faults of a transfer and other states of the file are those of the first attempt.
  const { end: fault, etag, ...always } = { end: SERVED.end, etag: SERVED.etag, ...what };
  const found = await crawl((attempt) => ({ ...SERVED, ...always, ...(attempt === 0 ? { end: fault, etag } : {}) }));
  expect(found.ranges).toEqual(ranges);
  expect(found.end).toBe(end);
});
