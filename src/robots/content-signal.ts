import { normalizePattern } from "./normalize.ts";

/**
 * Content signals: the uses of its pages that a site grants or refuses in robots.txt (https://contentsignals.org/).
 *
 *     Content-Signal: search=yes, ai-train=no, use=reference
 *     Content-Signal: /archive/ ai-input=no
 */

/** The purpose of a fetch. */
export const PURPOSES = ["search", "ai-input", "ai-train"] as const;
export type Purpose = (typeof PURPOSES)[number];

/** How much of a page is used. `reference` is indexing, quoting and linking back; `full` is all of it. */
export const CONTENT_USES = ["reference", "full"] as const;
export type ContentUse = (typeof CONTENT_USES)[number];

/** A use that a site may grant or refuse. */
export type Use = Purpose | `use=${ContentUse}`;

/** A use that a site grants or refuses below a path. */
export interface Signal {
  granted: boolean;
  use: Use;
  /** A path pattern in normal form (`normalizePattern`). */
  pattern: string;
}

/** Each level grants the uses listed and refuses the others. `immediate` grants none. */
const LEVELS: Record<string, readonly Signal["use"][]> = {
  immediate: [],
  reference: ["use=reference"],
  full: ["use=reference", "use=full"],
};

/**
 * Reads the value of one Content-Signal line and ignores what is no signal. Without a path, the signals apply to the
 * entire site.
 */
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
