import { keyPattern } from "../scope/traps.ts";
import { originOf, pathAndQueryOf } from "../url/host-key.ts";

/** A canonical URL in the parts that patterns are made of. */

export interface UrlParts {
  origin: string;
  /** Path segments that a slash ends. */
  dirs: readonly string[];
  /** What follows the last slash of the path; empty for a directory. */
  name: string;
  /** The distinct keys of the query as a pattern, such as `?page=*`; empty without a query. */
  query: string;
}

/** Query keys of a pattern. A URL with more has a pattern that ends in `&*`. */
const MAX_KEYS = 6;

export function partsOf(url: string): UrlParts {
  const tail = pathAndQueryOf(url);
  const queryAt = tail.indexOf("?");
  const path = queryAt === -1 ? tail : tail.slice(0, queryAt);
  const dirs = path.slice(1).split("/");
  const name = dirs.pop() ?? "";
  return { origin: originOf(url), dirs, name, query: queryAt === -1 ? "" : queryPattern(tail.slice(queryAt + 1)) };
}

function queryPattern(query: string): string {
  const keys = Array.from(new Set(query.split("&").map((each) => keyPattern(each).replaceAll("#", "*")))).sort();
  const shown = keys.slice(0, MAX_KEYS).map((key) => `${key}=*`);
  return `?${(keys.length > MAX_KEYS ? [...shown, "*"] : shown).join("&")}`;
}

/** The name of a page that stands for its directory. */
export function isIndexName(name: string): boolean {
  return name === "" || /^(?:index|default)\.\w+$/i.test(name);
}

/** A name and its file extension with the dot; empty without one. */
export function splitExtension(name: string): [base: string, extension: string] {
  const [extension = ""] = /\.[a-z][a-z0-9]{0,4}$/i.exec(name) ?? [];
  return [name.slice(0, name.length - extension.length), extension];
}
