import { sha256Of } from "../archive/sha256.ts";
import { essenceOf } from "../core/media-type.ts";
import type { KeptPage, PageFetched } from "../crawl/outcome.ts";
import { decodeCss } from "../media/css/css-charset.ts";
import { cssRequisites } from "../media/html/requisites.ts";
import { binaryType } from "../media/sniff.ts";
import { canonicalize } from "../url/canonicalize.ts";

/** What the bytes of an asset hold: of a style sheet what it needs in its turn, and of all else nothing that anybody would read. */

/** It is of whatever type it says; robots directives are for pages. */
export function readAsset(
  { body, contentType, headers, httpStatus }: Omit<KeptPage, "contentType"> & { contentType: string | null },
  url: string,
  durationMs: number,
): PageFetched {
  const isCss = essenceOf(contentType) === "text/css";
  return {
    kind: "page",
    body,
    bytes: body.byteLength,
    sha256: sha256Of(body),
    contentType: contentType ?? binaryType(body, "") ?? "application/octet-stream",
    encoding: "",
    title: null,
    links: [],
    nofollow: { count: 0, examples: [] },
    assets: isCss ? cssRequisites(decodeCss(body, contentType ?? ""), url, canonicalize) : [],
    headers,
    content: null,
    text: null,
    noindex: null,
    notModified: null,
    capture: null,
    httpStatus,
    retryAfterMs: null,
    durationMs,
  };
}
