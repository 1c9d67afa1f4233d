import { logError } from "../../core/log.ts";
import { essenceOf } from "../../core/media-type.ts";
import type { StoredPage } from "../../crawl/page/outcome.ts";
import { type DecodedHtml, decodeHtml } from "../../media/characters/charset.ts";
import { decodeCss } from "../../media/css/css-charset.ts";
import { kindOf } from "../../media/kind/kinds.ts";
import { plainContext, ReplayLinks } from "./replay-links.ts";
import { rewriteHtml } from "./rewrite-html.ts";
import { rewriteCss } from "./rewrite-text.ts";

/**
 * The body that a replay sends: pages and style sheets with rewritten links, in UTF-8, and everything else byte for
 * byte.
 */

interface ReplayBody {
  body: string | Uint8Array;
  contentType: string;
}

/** `prefix`: the beginning of each address in this replay. */
export async function replayBody({ body, contentType }: StoredPage, url: string, prefix: string): Promise<ReplayBody> {
  const { replay } = kindOf(contentType);
  if (replay === "bytes") return { body, contentType };
  const rewritten =
    replay === "html"
      ? await rewritePage(decodeHtml(body, contentType), url, prefix)
      : rewriteCss(decodeCss(body, contentType), new ReplayLinks(prefix, plainContext(url)));
  return { body: rewritten, contentType: `${essenceOf(contentType)}; charset=utf-8` };
}

/** A page that the parser cannot rewrite is sent as it is: its policy keeps it from loading anything from elsewhere. */
async function rewritePage({ text, encoding }: DecodedHtml, url: string, prefix: string): Promise<string> {
  try {
    return await rewriteHtml(text, url, prefix, encoding);
  } catch (error) {
    logError("replay-not-rewritten", error);
    return text;
  }
}
