import { gzipMember } from "../archive/gzip-member.ts";
import type { Field } from "../archive/header-block.ts";
import { warcinfoRecord } from "../archive/warc-record.ts";
import { SOFTWARE } from "../core/version.ts";
import type { Crawl } from "./crawl.ts";

/**
 * The warcinfo record of a crawl, as a gzip member. Its id is the crawl's own, so every record can name it before its
 * file exists. Each pack begins with a copy, so that it can be read alone; an export has one.
 */
export function crawlWarcinfo({ id, createdAt, options }: Crawl): Uint8Array<ArrayBuffer> {
  const { userAgent, pageRobots } = options;
  const operator = contactOf(userAgent);
  const fields: Field[] = [
    ["software", SOFTWARE],
    ["format", "WARC File Format 1.1"],
    ["conformsTo", "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"],
    ["isPartOf", id],
    ...(operator === null ? [] : [["operator", operator] as const]),
    ["http-header-user-agent", userAgent],
    ["robots", `robots.txt is obeyed (RFC 9309); robots directives of pages are ${pageRobots ? "obeyed" : "ignored"}`],
  ];
  return gzipMember(warcinfoRecord({ id, date: createdAt, fields }));
}

/**
 * The page or address that a User-Agent header names in a comment, as in `Name/1.0 (+https://example.com/bot)`; null if
 * it names none.
 */
export function contactOf(userAgent: string): string | null {
  for (const [, comment = ""] of userAgent.matchAll(/\(([^()]*)\)/g)) {
    const parts = comment.split(";").map((part) => part.trim().replace(/^\+/, ""));
    const contacts = parts.filter((part) => /^https?:\/\/\S+$|^\S+@\S+$/.test(part));
    if (contacts.length > 0) return contacts.join("; ");
  }
  return null;
}
