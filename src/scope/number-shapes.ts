/**
 * The shape of a line or an address: what is left of it without its numbers. Two looks at one page show which shapes
 * have other numbers at each visit: "made in 0.12 s", counters, clocks, tokens. The numbers of a screw stay.
 */

import { calendarNames } from "./calendar-names.ts";
import { fingerprintOf } from "./known-words.ts";

const RUNS = /[\p{L}\p{M}\p{N}]+/gu;
const LATIN_RUNS = /[a-z\p{N}]+/gu;
/** The fingerprint of a shape. It is made when it is asked for: most pages are judged without. */
export type Shape = () => number;

/** Shapes that one comparison finds. */
const MAX_CHANGED = 20;

/**
 * Words of Latin letters with a digit count as numbers, and names of months and days beside a number do too. Null for a
 * line without a number.
 */
export function lineShape(line: string): Shape | null {
  if (!hasNumber(line)) return null;
  return () => {
    const numbered = line.toLowerCase().replace(LATIN_RUNS, maskRun);
    const masked = numbered.replace(RUNS, (run) => (calendarNames().has(run) ? "#" : run));
    return fingerprintOf(`shape ${joinNumbers(masked)}`);
  };
}

/** Null for an address without a number in its query. */
export function addressShape(address: string): Shape | null {
  const queryAt = address.indexOf("?");
  const query = queryAt === -1 ? "" : address.slice(queryAt).toLowerCase();
  if (!hasNumber(query)) return null;
  return () => fingerprintOf(`shape ${address.slice(0, queryAt)}${joinNumbers(query.replace(LATIN_RUNS, maskRun))}`);
}

function maskRun(run: string): string {
  return hasNumber(run) ? "#" : run;
}

function hasNumber(text: string): boolean {
  return /\p{N}/u.test(text);
}

/** What stands between two numbers, as in a date, belongs to them. */
function joinNumbers(masked: string): string {
  return masked.replace(/#(?:[\s.,:/+-]{0,3}#)+/g, "#");
}

/** What has numbers on a page: by shape, the fingerprints as written. */
export interface NumbersOfPage {
  readonly lines: ReadonlyMap<number, readonly number[]>;
  readonly addresses: ReadonlyMap<number, readonly number[]>;
}

export interface Shaped {
  said: readonly [written: number, masked: number];
  shape: Shape | null;
}

export function numbersOf({
  lines,
  links,
  pictures,
}: Record<"lines" | "links" | "pictures", readonly Shaped[]>): NumbersOfPage {
  return { lines: byShape(lines), addresses: byShape([...links, ...pictures]) };
}

function byShape(all: readonly Shaped[]): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (const { said, shape } of all) {
    if (shape === null) continue;
    const name = shape();
    found.set(name, [...(found.get(name) ?? []), said[0]]);
  }
  return found;
}

/**
 * The shapes of one page whose numbers were all others at another visit. A shape of which a number stays is what the
 * page says, beside what is drawn by lot. Several addresses of one shape are a list.
 */
export function changedShapes(first: NumbersOfPage, second: NumbersOfPage): number[] {
  const isOther = (before: readonly number[], after: readonly number[]) =>
    before.every((written) => !after.includes(written));
  const lines = [...first.lines].filter(([shape, before]) => {
    const after = second.lines.get(shape);
    return after !== undefined && isOther(before, after);
  });
  const addresses = [...first.addresses].filter(([shape, before]) => {
    const after = second.addresses.get(shape);
    return after !== undefined && before.length === 1 && after.length === 1 && isOther(before, after);
  });
  return [...lines, ...addresses].map(([shape]) => shape).slice(0, MAX_CHANGED);
}
