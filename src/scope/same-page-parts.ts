/** Finds the parts of a URL that sites add without changing the page: parameters, and some parts of the path. */

import { originOf, pathAndQueryOf } from "../url/host-key.ts";

/** A part of a URL, and the URL without it. */
export interface UrlPart {
  /** `?name` is a query parameter, `;name` a parameter of a path segment, and `/name/` a path segment. */
  readonly part: string;
  /** The value of a parameter, cut; empty for a segment. */
  readonly value: string;
  /** The URL without the part. */
  readonly reduced: string;
  /**
   * The URLs for which a rule about the part holds: a folder, with `#` in place of numbers, or one script, because each
   * script has parameters of its own.
   */
  readonly scope: string;
}

/**
 * Names of parameters that select content by convention, in lower case. A site may answer them alike for a while, as a
 * list of one page does with `page=2`, so they are never left out.
 */
const CONTENT_NAMES = new Set(
  `p page pg paged pagenum pagenumber page_no pageno start offset from to skip limit per_page perpage pagesize size n no num number first
  last after before cursor next prev id ids uid pid cid tid fid aid nid gid oid rid bid did item product article post topic thread
  story doc document file path url uri title name slug key code sku isbn q query s search keyword keywords term terms word words text
  lang language locale hl lg l country region city cat category categories tag tags topic type kind filter facet date day month year
  week time version v rev revision branch chapter section part step level act action do cmd mod module option task op func
  function mode tab show photo photos image img picture pic slide gallery album video frame index i d m y user author profile p_id post_id page_id product_id item_id article_id category_id`.split(
    /\s+/,
  ),
);

const MAX_PARTS = 8;
const MAX_VALUE = 64;
/** A word: numbers and ids in a path select pages. */
const WORD = /^[a-z][a-z_-]{1,24}$/i;
/** The last segment of a path is the page, unless it names a view of the page before it. */
const VIEW = /^(?:print|printable|printer|print-view|printview|print-version|amp|mobile|text-only|plain|embed)$/i;
const SCRIPT = /\.(?:php\d?|aspx?|cgi|pl|py|jspx?|do|action|cfm|dll|exe)$/i;

/** At most eight parameters and eight segments of a canonical URL. */
export function partsOfUrl(url: string): UrlPart[] {
  const origin = originOf(url);
  const tail = pathAndQueryOf(url);
  const queryAt = tail.indexOf("?");
  const path = queryAt === -1 ? tail : tail.slice(0, queryAt);
  const query = queryAt === -1 ? null : tail.slice(queryAt + 1);
  const suffix = query === null ? "" : `?${query}`;
  return [
    ...(query === null ? [] : queryParts(origin + path, query, scopeOf(path))),
    ...pathParts(origin, path, suffix),
  ];
}

/** The URL without a part; the URL itself if it does not have it. */
export function removePart(url: string, part: string): string {
  return partsOfUrl(url).find((each) => each.part === part)?.reduced ?? url;
}

function queryParts(base: string, query: string, scope: string): UrlPart[] {
  const parameters = query.split("&");
  const names = [...new Set(parameters.map(nameOf))].filter(mayBeLeftOut).slice(0, MAX_PARTS);
  return names.map((name) => {
    const { own = [], others = [] } = Object.groupBy(parameters, (parameter) =>
      nameOf(parameter) === name ? "own" : "others",
    );
    const value = own.map((parameter) => parameter.slice(name.length + 1)).join("&");
    const reduced = others.length === 0 ? base : `${base}?${others.join("&")}`;
    return { part: `?${name}`, value: value.slice(0, MAX_VALUE), reduced, scope };
  });
}

function pathParts(origin: string, path: string, suffix: string): UrlPart[] {
  const segments = path.split("/");
  const parts: UrlPart[] = [];
  for (const [i, segment] of segments.entries()) {
    if (i === 0 || parts.length >= MAX_PARTS) continue;
    const without = (changed: readonly string[], part: string, value: string): void => {
      const rest = [...segments.slice(0, i), ...changed, ...segments.slice(i + 1)].join("/");
      const reduced = rest === "" ? "/" : rest;
      parts.push({
        part,
        value: value.slice(0, MAX_VALUE),
        reduced: origin + reduced + suffix,
        scope: scopeOf(reduced),
      });
    };
    const [name = "", ...parameters] = segment.split(";");
    for (const [at, parameter] of parameters.entries()) {
      const key = nameOf(parameter);
      if (!mayBeLeftOut(key)) continue;
      const kept = [name, ...parameters.filter((_, other) => other !== at)].join(";");
      if (kept !== "." && kept !== "..") without([kept], `;${key}`, parameter.slice(key.length + 1));
    }
    // The first of two equal segments stands for both.
    const isLast = i === segments.length - 1 || (i === segments.length - 2 && segments[i + 1] === "");
    const mayBeView = isLast ? VIEW.test(segment) : WORD.test(segment);
    if (mayBeView && segments.length > 2 && segments.indexOf(segment) === i) without([], `/${segment}/`, "");
  }
  return parts;
}

function nameOf(parameter: string): string {
  const equals = parameter.indexOf("=");
  return equals === -1 ? parameter : parameter.slice(0, equals);
}

function mayBeLeftOut(name: string): boolean {
  if (name === "" || name.length > MAX_VALUE) return false;
  const plain = name.toLowerCase().replace(/(?:%5B|\[)[\s\S]*/i, "");
  return !CONTENT_NAMES.has(plain) && !/(?:^|_)(?:id|page|no|q)$/.test(plain) && !/^\d+$/.test(plain);
}

function scopeOf(path: string): string {
  if (SCRIPT.test(path)) return path;
  const folder = path.endsWith("/") ? path.slice(0, -1) : path;
  const slash = folder.lastIndexOf("/");
  return `${(slash === -1 ? "" : folder.slice(0, slash)).replace(/\d+/g, "#")}/*`;
}
