import type { SectionKind } from "./section.ts";
import { isIndexName, splitExtension } from "./url-parts.ts";

/** What people call a section: its kind, and the place that its URLs have in common. */

const KIND_NAMES: Record<SectionKind, string> = {
  article: "Articles",
  documentation: "Documentation",
  listing: "Lists",
  product: "Products",
  forum: "Forum",
  home: "Home page",
  search: "Search results",
  error: "Error pages",
  other: "Pages",
  asset: "Assets",
  file: "Files",
  collection: "Product lists",
  service: "Services",
};

export function sectionName(pattern: string, kind: SectionKind | null): string {
  const path = /^[^/]*\/\/[^/]*(\/.*)$/.exec(pattern)?.[1] ?? "/";
  if (isIndexName(path.slice(1))) return KIND_NAMES.home;
  const [literal = ""] = path.split("*", 1);
  const place = placeOf(path, literal);
  const name = kind === null ? "Not read" : KIND_NAMES[kind];
  const isRest = pattern.endsWith("**");
  return `${isRest ? `Other ${kind === null ? "URLs" : name.toLowerCase()}` : name} in ${place}`;
}

/** What names have in common behind is told, too: `/*-members` for `/*-members.html`. */
function placeOf(path: string, literal: string): string {
  const [ending] = splitExtension(path.slice(literal.length + 1));
  if (/^[^/*?]+$/.test(ending)) return `${literal}*${ending}`;
  return literal === path || literal.endsWith("/") ? literal : `${literal}*`;
}

/** What the URLs of a pattern begin with. */
export function literalPrefix(pattern: string): string {
  return pattern.split("*", 1)[0] ?? "";
}
