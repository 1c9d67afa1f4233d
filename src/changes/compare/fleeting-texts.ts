import { linesAround, pageLines } from "../page-lines.ts";
import { hashOf, type PageVersion } from "../page-version.ts";
import type { HostTemplate } from "../template/host-template.ts";
import { LOOK_COUNTS_MS } from "../template/own-places.ts";
import { withTimes } from "../with-times.ts";

/** Texts that came or went between two looks a moment apart, at any page of a host. They are known by their hashes. */

type FleetingTexts = Pick<HostTemplate, "fleeting" | "fleetingAround">;

const MAX_FLEETING = 150;
const MAX_FLEETING_AROUND = 200;

/** Notes two looks. `texts`: those of the content that one of them lacks. */
export function noteFleeting(
  { fleeting, fleetingAround }: FleetingTexts,
  texts: readonly string[],
  [one, other]: readonly [PageVersion, PageVersion],
  now: number,
): Required<FleetingTexts> {
  const [lines, others] = [aroundContent(one), aroundContent(other)];
  const differing = [...lines, ...others].filter((line) => lines.has(line) !== others.has(line));
  return {
    fleeting: withTimes(fleeting, texts, now, MAX_FLEETING),
    fleetingAround: withTimes(fleetingAround, differing.map(hashOf), now, MAX_FLEETING_AROUND),
  };
}

function aroundContent(version: PageVersion): ReadonlySet<string> {
  return new Set(linesAround(pageLines(version.pageText ?? ""), version));
}

/** Whether one of these texts has lately come or gone between two looks, at this page or another one. */
export function isFleeting(texts: Iterable<string>, { fleeting = {} }: FleetingTexts, now: number): boolean {
  return [...texts].some((text) => isRecent(fleeting[text], now));
}

/**
 * Whether one of these texts has lately come or gone around the content of a page. The reader takes some of a list of
 * links for content on some pages alone, and not at each visit.
 */
export function isFleetingAround(
  texts: Iterable<string>,
  { fleetingAround = {} }: FleetingTexts,
  now: number,
): boolean {
  return [...texts].some((text) => isRecent(fleetingAround[text], now));
}

function isRecent(time: number | undefined, now: number): boolean {
  return time !== undefined && now - time < LOOK_COUNTS_MS;
}
