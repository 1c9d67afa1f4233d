import type { TemplateStyle } from "../crawl/watch/notice-style.ts";
import { contentTypeOf, fillTemplate } from "./fill-template.ts";
import { noticeText } from "./notice-text.ts";
import { escapeFor, mostBytesOf, templateOf } from "./ready-formats.ts";

/** A notice as a template has it. It follows from the notice alone, so each attempt sends the same. */

interface Rendered {
  headers: Record<string, string>;
  body: string;
}

const MAX_SUBJECT = 200;
const CUT = "\n… (the rest is left out here; `changes` lists it)";

/** `id`: the `webhook-id`. `body`: as the outbox has it. */
export function renderNotice({ id, body }: { id: string; body: string }, style: TemplateStyle): Rendered {
  const notice = JSON.parse(body) as Parameters<typeof noticeText>[0] & { timestamp: string; data: { crawl: string } };
  const { subject, parts, url } = noticeText(notice);
  const escapeText = escapeFor(style);
  const { template, contentType = contentTypeOf(template, style.headers) } = templateOf(style);
  const values = {
    subject: escapeText(cutText(subject.replace(/\s+/g, " ").trim(), MAX_SUBJECT)),
    text: cutBytes(parts.map(escapeText).join("\n\n"), mostBytesOf(style)),
    url,
    event: notice.type,
    crawl: notice.data.crawl,
    timestamp: notice.timestamp,
    id,
    from: style.from ?? "",
    to: style.to.join(", "),
    data: JSON.stringify(notice.data),
  };
  const filled = fillTemplate(template, contentType, values);
  return {
    headers: {
      ...(style.format === "resend" ? { "idempotency-key": id } : {}),
      ...style.headers,
      "content-type": contentType,
    },
    body: style.format === "resend" ? withRecipients(filled, style.to) : filled,
  };
}

/** Resend takes a list of addresses. */
function withRecipients(filled: string, to: readonly string[]): string {
  return JSON.stringify({ ...(JSON.parse(filled) as object), to });
}

function cutText(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}

function cutBytes(text: string, most: number): string {
  if (bytesOf(text) <= most) return text;
  const bytes = new TextEncoder().encode(text).subarray(0, most - bytesOf(CUT));
  // A character that was cut in two is left out.
  return `${new TextDecoder().decode(bytes).replace(/\uFFFD$/, "")}${CUT}`;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/** Bytes that parts of a text take in a notice. */
export function sizeOfParts(parts: readonly string[], style: TemplateStyle): number {
  const escapeText = escapeFor(style);
  return parts.reduce((sum, part) => sum + bytesOf(escapeText(part)) + 2, 0);
}
