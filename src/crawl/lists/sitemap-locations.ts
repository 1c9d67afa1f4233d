import type { ListEntry } from "./list-entry.ts";
import { UnreadableList } from "./unreadable-list.ts";

/** Reads the locations of a sitemap that lies in a file (https://www.sitemaps.org/protocol.html). */

const ROOT = /<(?:([\w.-]{1,50}):)?(urlset|sitemapindex)[\s>]/;

/** An index gives the sitemaps that it lists. Throws UnreadableList for XML that is no sitemap. */
export function readSitemap(text: string, name: string): ListEntry[] {
  const [, prefix, root] = ROOT.exec(text.slice(0, 100_000)) ?? [];
  if (root === undefined) throw new UnreadableList(`${name} looks like XML or HTML, and is no sitemap.`);
  const tag = prefix === undefined ? "loc" : `${prefix.replaceAll(".", "\\.")}:loc`;
  const locations = new RegExp(`<${tag}(?:\\s[^<>]*)?>\\s*(?:<!\\[CDATA\\[([^\\]]*)\\]\\]>|([^<]*))`, "g");
  const entries: ListEntry[] = [];
  let line = 1;
  let at = 0;
  for (const match of text.matchAll(locations)) {
    for (; at < match.index; at++) if (text[at] === "\n") line += 1;
    const location = (match[1] ?? decode(match[2] ?? "")).trim();
    entries.push({ text: location, line, rest: [], ...(root === "sitemapindex" ? { isSitemap: true } : {}) });
  }
  return entries;
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function decode(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, named) => {
    if (named !== undefined) return ENTITIES[named.toLowerCase()] ?? whole;
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}
