import type { ContentElement } from "../article/content-tree.ts";
import { largestSource } from "../links/srcset.ts";
import { escapeMarkdown, linkTarget, linkTitle } from "./markdown-escape.ts";

/** Writes an image in Markdown. Returns an empty string for one without a source. */
export function markdownImage(image: ContentElement): string {
  const source = imageSource(image);
  if (!source) return "";
  const alt = escapeMarkdown((image.getAttribute("alt") ?? "").replace(/\s+/g, " ").trim(), { isInLink: true });
  return `![${alt}](${linkTarget(source)}${linkTitle(image.getAttribute("title"))})`;
}

/** Returns the largest source that the image or its `picture` names. */
function imageSource(image: ContentElement): string | null {
  const source = image.getAttribute("src");
  const largest = largestSource(image.getAttribute("srcset") ?? "");
  if (source !== null || largest !== null) return largest ?? source;
  if (image.parentNode?.localName !== "picture") return null;
  for (const { localName, srcset } of image.parentNode.children)
    if (localName === "source" && srcset !== "") return largestSource(srcset);
  return null;
}
