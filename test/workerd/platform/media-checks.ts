import { expect } from "vitest";
import type { Crawl } from "../../../src/crawl/crawl.ts";
import { MAX_RANGES, RANGE_BYTES } from "../../../src/media/sound-and-picture/media-source.ts";
import { factsOf, type MediaServed, soundOf } from "./media-served.ts";
import type { Platform } from "./platform.ts";

/** What must hold for the sounds of a crawl with `media`, whatever failed. */

interface Row extends Record<string, SqlStorageValue> {
  url: string;
  media: string | null;
  detail: string | null;
  bytes: number | null;
}

/** Why a file may be known in part: a later state of it, a lane that was over, or a server that sends no more of it. */
const MAY_BE_CUT = [
  /^range \d did not come: the file changed in between$/,
  /answers too slowly/,
  /^range 2 did not come: 416/,
  /^the server sends no ranges, so only [\d,]+ bytes/,
];

/**
 * Each completed sound has the facts of its whole file, or says why it was read in part. Then it has no fact that the
 * file has not. Returns the URLs of all files that are described and not stored.
 */
export async function expectDescribed({ database, web }: Platform, { id, options }: Crawl): Promise<Set<string>> {
  if (!options.media) return new Set();
  const rows = database.rows<Row>(
    `SELECT url, media, detail, bytes FROM urls
     WHERE crawl = ?1 AND status = 'completed' AND kind = 'asset' AND chain = 0`,
    id,
  );
  for (const { url, media, detail, bytes } of rows) {
    const served = web.answerOf(url);
    if (served.kind !== "media") continue;
    const whole = await factsOf(url, served);
    const facts = JSON.parse(media ?? "{}");
    const isWhole = detail === null;
    if (isWhole) expect(facts, url).toEqual(whole);
    else await expectPart(url, served, { facts, detail });
    if (isWhole || served.ranges === "first alone") expect(bytes, url).toBe(soundOf(url, served).byteLength);
  }
  return new Set(rows.map(({ url }) => url));
}

async function expectPart(
  url: string,
  served: MediaServed,
  { facts, detail }: { facts: Record<string, unknown>; detail: string },
): Promise<void> {
  expect(MAY_BE_CUT.filter((reason) => reason.test(detail)).length, `${url}: ${detail}`).toBe(1);
  const whole: Record<string, unknown> = { ...(await factsOf(url, served)) };
  for (const [name, fact] of Object.entries(facts)) {
    if (fact !== null && String(fact) !== "") expect(fact, `${name} of ${url}`).toEqual(whole[name]);
  }
  // Where nothing disturbs its only range, the facts are those of that range.
  const isFirstAlone = served.ranges === "ignored" || served.ranges === "first alone";
  if (isFirstAlone && detail.includes("65,536")) expect(facts, url).toEqual(await factsOf(url, served, RANGE_BYTES));
}

/** A file is begun no more often than `most`, and takes no more ranges each time than it may. */
export function expectFewRanges({ web }: Platform, most: number): void {
  const asked = web.requests.filter(({ kind }) => kind === "media");
  for (const [url, requests] of Map.groupBy(asked, ({ url }) => url)) {
    const begun = requests.filter(({ range = null }) => range === null || range.startsWith("bytes=0-")).length;
    expect(begun, `beginnings of ${url}`).toBeLessThanOrEqual(most);
    expect(requests.length, `requests of ${url}`).toBeLessThanOrEqual(MAX_RANGES * begun);
  }
}
