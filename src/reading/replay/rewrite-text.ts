import { findCssUrls } from "../../media/css/css-urls.ts";
import { parseRefresh } from "../../media/html/facts/refresh.ts";
import { findSrcsetUrls } from "../../media/html/links/srcset.ts";
import type { PageLinks } from "./replay-links.ts";

/** Rewrites URLs in CSS, in `srcset` and in `meta` refresh. The text around them stays as it is. */

interface Found {
  url: string;
  start: number;
  end: number;
}

export function rewriteCss(css: string, links: PageLinks): string {
  return replace(css, findCssUrls(css), (url, written) => {
    const address = url === "" ? null : links.addressOf(url);
    if (address === null) return null;
    // A URL has its quotes escaped, so only a backslash could end the string early.
    const string = `"${address.replaceAll("\\", "\\\\")}"`;
    return /^["']/.test(written) ? string : `url(${string})`;
  });
}

export function rewriteSrcset(srcset: string, links: PageLinks): string {
  return replace(srcset, findSrcsetUrls(srcset), (url) => links.addressOf(url)?.replace(/,$/, "%2C") ?? null);
}

/** Rewrites the `content` of `meta http-equiv=refresh`. */
export function rewriteRefresh(content: string, links: PageLinks): string {
  const url = parseRefresh(content);
  const address = url === null ? null : links.addressOf(url);
  if (address === null) return content;
  const [seconds = "0"] = /[\d.]+/.exec(content) ?? [];
  return `${seconds}; url=${address}`;
}

function replace(text: string, found: Iterable<Found>, by: (url: string, written: string) => string | null): string {
  let out = "";
  let done = 0;
  for (const { url, start, end } of found) {
    const replacement = by(url, text.slice(start, end));
    if (replacement === null) continue;
    out += text.slice(done, start) + replacement;
    done = end;
  }
  return done === 0 ? text : out + text.slice(done);
}
