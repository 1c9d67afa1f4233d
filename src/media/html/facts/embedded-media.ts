import type { AddRequisite } from "../../links/requisites.ts";
import { findSrcsetUrls } from "../links/srcset.ts";
import type { HtmlElement } from "../tree/linkedom.ts";

/** The sounds, films and pictures that a page shows or encloses. */

const MEDIA_TYPE = /^\s*(?:audio|video|image)\//i;

/**
 * Adds what one element shows: of a picture in several sizes the one that a browser without `srcset` takes. What shows
 * one pixel counts visitors, and is left out.
 */
export function addMedia(element: HtmlElement, add: AddRequisite): void {
  const attribute = (name: string) => element.getAttribute(name);
  switch (element.localName) {
    case "img":
      if (attribute("width") === "1" && attribute("height") === "1") break;
      add(pictureOf(attribute));
      break;
    case "video":
      add(attribute("poster"));
      add(attribute("src"));
      break;
    case "audio":
    // In a `picture` it has a `srcset` alone, beside the `img`.
    case "source":
      add(attribute("src"));
      break;
    case "embed":
      if (MEDIA_TYPE.test(attribute("type") ?? "")) add(attribute("src"));
      break;
    case "object":
      if (MEDIA_TYPE.test(attribute("type") ?? "")) add(attribute("data"));
      break;
    case "a":
    case "link":
      if (/(?:^|\s)enclosure(?:\s|$)/i.test(attribute("rel") ?? "")) add(attribute("href"));
      break;
  }
}

/** A script puts `data-src` into `src`, where a placeholder in the page itself stands. */
function pictureOf(attribute: (name: string) => string | null): string | null {
  const src = attribute("src");
  if (src !== null && src.trim() !== "" && !/^\s*data:/i.test(src)) return src;
  const [first] = findSrcsetUrls(attribute("srcset") ?? attribute("data-srcset") ?? "");
  return attribute("data-src") ?? first?.url ?? null;
}
