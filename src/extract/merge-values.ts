import type { Json } from "./extraction.ts";

/** Makes one object of the values of several pages, for callers that want one answer to one question. */

export interface ValuesOfPage {
  url: string;
  values: Json;
}

export interface MergedValues {
  values: Json;
  /** By the path of a value, as `items` or `maker.name`: the URLs of the pages that it comes from. */
  sources: Record<string, string[]>;
}

/**
 * Lists have the items of all pages, each once. Of other values, the first that is not null counts, in the order of the
 * pages.
 */
export function mergeValues(pages: readonly ValuesOfPage[]): MergedValues {
  const sources: Record<string, string[]> = {};
  let values: Json = null;
  for (const page of pages) values = merge(values, page.values, "", page.url, sources);
  return { values, sources };
}

function merge(known: Json, found: Json, path: string, url: string, sources: Record<string, string[]>): Json {
  if (found === null) return known;
  if (Array.isArray(found)) {
    if (known !== null && !Array.isArray(known)) return known;
    const seen = new Set((known ?? []).map((item) => JSON.stringify(item)));
    const fresh = found.filter((item) => item !== null && !seen.has(JSON.stringify(item)));
    if (fresh.length > 0) note(path, url, sources);
    return [...(known ?? []), ...fresh];
  }
  if (typeof found === "object") {
    if (known !== null && (typeof known !== "object" || Array.isArray(known))) return known;
    const both: { [name: string]: Json } = { ...known };
    for (const [name, value] of Object.entries(found))
      both[name] = merge(both[name] ?? null, value, path === "" ? name : `${path}.${name}`, url, sources);
    return both;
  }
  if (known !== null) return known;
  note(path, url, sources);
  return found;
}

function note(path: string, url: string, sources: Record<string, string[]>): void {
  sources[path] = [...(sources[path] ?? []), url];
}
