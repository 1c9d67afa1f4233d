import { normalizePattern } from "./normalize.ts";

/**
 * Content signals: what a site lets its pages be used for, in its robots.txt (https://contentsignals.org/).
 *
 *     Content-Signal: search=yes, ai-train=no, use=reference
 *     Content-Signal: /archive/ ai-input=no
 */

/** What a page is fetched for. */
export const PURPOSES = ["search", "ai-input", "ai-train"] as const;
export type Purpose = (typeof PURPOSES)[number];

/** How much of a page is used: to index it, to quote and to link back; or all of it. */
export const CONTENT_USES = ["reference", "full"] as const;
export type ContentUse = (typeof CONTENT_USES)[number];

/** One thing that a site may grant or refuse. */
export type Use = Purpose | `use=${ContentUse}`;

/** One thing granted or refused below a path. */
export interface Signal {
  granted: boolean;
  use: Use;
  /** Normalised. */
  pattern: string;
}

/** A level grants those up to it, and refuses those above. `immediate` keeps nothing at all. */
const LEVELS: Record<string, readonly Signal["use"][]> = {
  immediate: [],
  reference: ["use=reference"],
  full: ["use=reference", "use=full"],
};

/** The signals of one line; what is no signal is passed over. Without a path they are for all of the site. */
export function readSignals(value: string): Signal[] {
  const [, path = "/", list = ""] = /^(?:([/*]\S*)\s+)?(.*)$/s.exec(value) ?? [];
  const pattern = normalizePattern(path);
  return list.split(",").flatMap((part) => {
    const [, key = "", word = ""] = /^\s*([a-z-]+)\s*=\s*([a-z]+)\s*$/i.exec(part) ?? [];
    return usesOf(key.toLowerCase(), word.toLowerCase()).map((use) => ({ ...use, pattern }));
  });
}

function usesOf(key: string, word: string): Omit<Signal, "pattern">[] {
  const granted = LEVELS[word];
  if (key === "use" && granted !== undefined)
    return CONTENT_USES.map((level) => ({ use: `use=${level}` as const, granted: granted.includes(`use=${level}`) }));
  const purpose = PURPOSES.find((name) => name === key);
  return purpose !== undefined && (word === "yes" || word === "no") ? [{ use: purpose, granted: word === "yes" }] : [];
}
