import { parseInterval } from "../../core/interval.ts";
import { compileGlob } from "../../scope/url-glob.ts";
import type { Watch } from "./watch.ts";

/** How often which pages of a watch are visited: `watch.everyS`, and other intervals for URLs of patterns. */

/** A glob with its interval, written as `1h:/prices/**`. */
export interface VisitRate {
  everyS: number;
  glob: string;
}

/** As the table of options bounds `watch.everyS`. */
const SECONDS = { least: 60, most: 315_360_000 };

/** Null for a text that is none, or whose interval is shorter than a minute or longer than ten years. */
export function parseRate(written: string): VisitRate | null {
  const colon = written.indexOf(":");
  const everyS = parseInterval(written.slice(0, Math.max(colon, 0)));
  const glob = written.slice(colon + 1).trim();
  if (typeof everyS === "string" || glob === "" || everyS < SECONDS.least || everyS > SECONDS.most) return null;
  return { everyS, glob };
}

type Rated = Pick<Watch, "everyS" | "everyFor">;

const ratesOf = ({ everyFor = [] }: Rated): VisitRate[] => everyFor.flatMap((written) => parseRate(written) ?? []);

/** The mean interval of a page, in milliseconds, by its URL. The first pattern that matches counts. */
export function everyMsOf(watch: Rated): (url: string) => number {
  const rates = ratesOf(watch).map(({ everyS, glob }) => ({ everyS, matches: compileGlob(glob) }));
  return (url) => (rates.find(({ matches }) => matches(url)) ?? watch).everyS * 1000;
}

/** The shortest interval of the watch, in milliseconds. */
export function shortestEveryMs(watch: Rated): number {
  return Math.min(watch.everyS, ...ratesOf(watch).map(({ everyS }) => everyS)) * 1000;
}
