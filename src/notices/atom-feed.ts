import { SOFTWARE } from "../core/version.ts";
import { type ChangeEntry, type ChangeFeed, titleOf } from "./change-feed.ts";

/**
 * Writes a feed of changes as Atom (RFC 4287), in a few elements that are always the same. A library would bring a
 * model of all formats, and would still leave the characters to us that XML 1.0 forbids.
 */

export const ATOM_TYPE = "application/atom+xml; charset=utf-8";

/** RFC 4287 4.1.1: id, title, updated, an author, and a link to itself. */
export function writeAtom({ id, title, feedUrl, pageUrl, updatedAt, entries }: ChangeFeed): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${text(id)}</id>
<title>${text(title)}</title>
<updated>${iso(updatedAt)}</updated>
<link rel="self" type="application/atom+xml" href="${text(feedUrl)}"/>
<link rel="alternate" type="text/html" href="${text(pageUrl)}"/>
<author><name>Orbweaver</name></author>
<generator>${SOFTWARE}</generator>
${entries.map(entryOf).join("")}</feed>
`;
}

/** RFC 4287 4.1.2: an entry without content has a link to its alternate. */
function entryOf(entry: ChangeEntry): string {
  const { id, kind, url, at, summary, diffUrl } = entry;
  return `<entry>
<id>${text(id)}</id>
<title>${text(titleOf(entry))}</title>
<updated>${iso(at)}</updated>
<link rel="alternate" type="text/html" href="${text(diffUrl)}"/>
<link rel="related" href="${text(url)}"/>
<category term="${kind}"/>
<summary>${text(summary)}</summary>
</entry>
`;
}

const iso = (time: number) => new Date(time).toISOString();

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;" };

/** Escaped, without the characters that XML 1.0 (2.2) does not allow. A lone surrogate becomes U+FFFD. */
function text(value: string): string {
  return value
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "")
    .replace(/[&<>"\r]/g, (character) => ESCAPES[character] ?? "");
}
