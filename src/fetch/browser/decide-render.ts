import type { RenderMode } from "../../crawl/crawl-options.ts";
import type { PageFetched } from "../../crawl/outcome.ts";
import { kindOf } from "../../media/kinds.ts";

/** Decides whether a browser draws a page that the server has answered with. */

export interface RenderQuestion {
  mode: RenderMode;
  /** As it was read without a browser. */
  page: Pick<PageFetched, "contentType" | "text" | "print" | "links">;
  /** The body of the answer, decompressed. */
  body: Uint8Array;
}

/** Returns why a browser draws the page, for people; null if none does. */
export function decideRender({ mode, page }: RenderQuestion): string | null {
  // Only HTML has scripts.
  if (mode === "never" || kindOf(page.contentType).replay !== "html") return null;
  return mode === "always" ? "the crawl renders every page" : null;
}
