import { tidy } from "../tree/tidy.ts";
import type { JsonObject } from "./json-ld.ts";

/** Reads the keywords that a page gives itself. */

const NAMES = new Set(["keywords", "news_keywords", "article:tag", "parsely-tags", "citation_keywords", "dc.subject"]);
const SEPARATOR = /[,;，、；]/;
const MAX_KEYWORDS = 50;
const MAX_LENGTH = 100;
/** Characters of one list. */
const MAX_LIST = 5_000;

/** Each once, in their order, as the page writes them. `things`: what its JSON-LD describes. */
export function readKeywords(
  metas: readonly { name: string; content: string }[],
  things: readonly JsonObject[],
): string[] {
  const written = [
    ...metas.filter(({ name }) => NAMES.has(name)).map(({ content }) => content),
    ...things.flatMap(({ keywords }) => (Array.isArray(keywords) ? keywords : [keywords])),
  ].filter((list): list is string => typeof list === "string");
  const keywords = new Map<string, string>();
  for (const list of written)
    for (const part of list.slice(0, MAX_LIST).split(SEPARATOR)) {
      const keyword = tidy(part, MAX_LENGTH);
      const key = keyword.toLowerCase();
      if (keyword !== "" && !keywords.has(key) && keywords.size < MAX_KEYWORDS) keywords.set(key, keyword);
    }
  return [...keywords.values()];
}
