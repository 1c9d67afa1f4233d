import { essenceOf } from "../../core/media-type.ts";
import type { KeptPage } from "../../crawl/outcome.ts";
import { decodeHtml } from "../../media/charset.ts";
import { decodeCss } from "../../media/css/css-charset.ts";

import { ReplayLinks } from "./replay-links.ts";
import { rewriteHtml } from "./rewrite-html.ts";
import { rewriteCss } from "./rewrite-text.ts";

/** What a replay sends of what was mirrored: pages and styles with their links changed, in UTF-8, and all else byte for byte. */

export interface ReplayBody {
  body: string | Uint8Array;
  contentType: string;
}

const HTML_TYPES = new Set(["text/html", "application/xhtml+xml"]);

/** `prefix`: what an address in this replay begins with. */
export async function replayBody({ body, contentType }: KeptPage, url: string, prefix: string): Promise<ReplayBody> {
  const type = essenceOf(contentType);
  if (HTML_TYPES.has(type)) {
    const { text } = decodeHtml(body, contentType);
    return { body: await rewritten(text, url, prefix), contentType: `${type}; charset=utf-8` };
  }
  if (type === "text/css") {
    const css = decodeCss(body, contentType);
    return { body: rewriteCss(css, new ReplayLinks(prefix, url)), contentType: "text/css; charset=utf-8" };
  }
  return { body, contentType };
}

/** A page that the parser gives up is sent as it is: its policy keeps it from loading anything from elsewhere. */
async function rewritten(html: string, url: string, prefix: string): Promise<string> {
  try {
    return await rewriteHtml(html, url, prefix);
  } catch (error) {
    console.warn("a page could not be rewritten", url, error);
    return html;
  }
}
