import { UserError } from "../errors.ts";
import type { ListEntry } from "./list-entry.ts";

/** Reads the locations of a sitemap that lies in a file (https://www.sitemaps.org/protocol.html). */

const ROOT = /<(?:([\w.-]{1,50}):)?(urlset|sitemapindex)[\s>]/;

/** Throws UserError for XML that is no sitemap, and for an index of sitemaps. */
export function readSitemap(text: string, name: string): ListEntry[] {
  const [, prefix, root] = ROOT.exec(text.slice(0, 100_000)) ?? [];
  if (root === undefined) throw new UserError(`${name} looks like XML or HTML, and is no sitemap.`, 2);
  const tag = prefix === undefined ? "loc" : `${prefix.replaceAll(".", "\\.")}:loc`;
  const location = new RegExp(`<${tag}(?:\\s[^<>]*)?>\\s*(?:<!\\[CDATA\\[([^\\]]*)\\]\\]>|([^<]*))`, "g");
  const entries: ListEntry[] = [];
  let line = 1;
  let at = 0;
  for (const match of text.matchAll(location)) {
    for (; at < match.index; at++) if (text[at] === "\n") line += 1;
    entries.push({ text: (match[1] ?? decode(match[2] ?? "")).trim(), line, rest: [] });
  }
  if (root === "sitemapindex") throw new UserError(describeIndex(name, entries), 2);
  return entries;
}

/** Its sitemaps have to be fetched, which a crawl does at their host's pace. */
function describeIndex(name: string, entries: readonly ListEntry[]): string {
  const first = entries[0]?.text ?? "";
  const site = URL.parse(first)?.origin ?? "https://example.com";
  return `${name} is an index of ${entries.length} sitemaps, such as ${first}, and has no pages itself. Give the files of these sitemaps, or crawl what they list: orbweaver crawl ${site}/ --source sitemaps`;
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function decode(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, named) => {
    if (named !== undefined) return ENTITIES[named.toLowerCase()] ?? whole;
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}
