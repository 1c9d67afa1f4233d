import { findCssUrls } from "../../media/css/css-urls.ts";
import { parseRefresh } from "../../media/html/links.ts";
import { findSrcsetUrls } from "../../media/html/srcset.ts";
import type { ReplayLinks } from "./replay-links.ts";

/** The small languages in which pages name URLs, with each that the replay knows better put in its place. What is not one stays byte for byte. */

interface Found {
  url: string;
  start: number;
  end: number;
}

export function rewriteCss(css: string, links: ReplayLinks): string {
  return replace(css, findCssUrls(css), (url, written) => {
    const address = url === "" ? null : links.addressOf(url);
    if (address === null) return null;
    // In a URL a quote is escaped, and nothing else ends the string but a backslash's doing.
    const string = `"${address.replaceAll("\\", "\\\\")}"`;
    return /^["']/.test(written) ? string : `url(${string})`;
  });
}

export function rewriteSrcset(srcset: string, links: ReplayLinks): string {
  return replace(srcset, findSrcsetUrls(srcset), (url) => links.addressOf(url)?.replace(/,$/, "%2C") ?? null);
}

/** The `content` of `meta http-equiv=refresh`. */
export function rewriteRefresh(content: string, links: ReplayLinks): string {
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
