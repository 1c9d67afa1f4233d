/** The groups of URLs that may belong to one endless site, named by globs that `--exclude` takes. */

import { originOf, pathAndQueryOf } from "../url/host-key.ts";
import { collapseIds } from "./traps.ts";

/** Longer globs name the group above. They would fill the row of a host. */
const MAX_GLOB = 300;

/**
 * The groups of a canonical URL, the narrowest first: its script or folder, the first folder of its path, and its
 * origin. Numbers and ids are `*`. An index page stands beside the pages of its folder, because it lists them.
 */
export function groupsOf(url: string): readonly string[] {
  const origin = originOf(url);
  const tail = pathAndQueryOf(url);
  const queryAt = tail.indexOf("?");
  const path = starred(queryAt === -1 ? tail : tail.slice(0, queryAt));
  const nameAt = path.lastIndexOf("/") + 1;
  const name = path.slice(nameAt);
  const own = queryAt !== -1 ? `${path}?**` : isIndex(name) || name.includes("*") ? path : `${path.slice(0, nameAt)}*`;
  const folderEnd = path.indexOf("/", 1);
  const all = [own, ...(folderEnd === -1 ? [] : [`${path.slice(0, folderEnd)}/**`]), "/**"];
  return [...new Set(all)].map((each) => origin + each).filter(({ length }) => length <= MAX_GLOB);
}

function starred(path: string): string {
  return collapseIds(path).replaceAll("#", "*");
}

function isIndex(name: string): boolean {
  return name === "" || /^(?:index|default)\.\w+$/i.test(name);
}
