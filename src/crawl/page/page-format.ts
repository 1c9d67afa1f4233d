import type { Chunk } from "../../chunks/chunk.ts";
import type { Content, ContentFormat, Metadata } from "../../media/document.ts";
import type { Link } from "../../media/links/links.ts";
import type { FORMATS } from "../options/content-options.ts";
import type { TemplateNote } from "./crawl-template.ts";
import type { Rendering } from "./outcome.ts";

export type Format = (typeof FORMATS)[number];

/** The formats from which a crawl's template is left out. */
const TEXT_FORMATS: readonly Format[] = ["text", "markdown", "chunks", "json"];

export function hasText(formats: readonly Format[]): boolean {
  return formats.some((format) => TEXT_FORMATS.includes(format));
}

/** The parts that are made from a page, when it is parsed or later. The other formats are stored as received. */
export type Part = ContentFormat | "links";

/** The stored content of a page. A part is missing until it is requested. */
export interface StoredContent extends Content {
  /** Canonical outlinks, each URL once. Links stored by earlier versions have no `rel`, `text` and `place`. */
  links?: readonly Link[];
  /** The page as a browser drew it, from which all of this was made; absent if none did. */
  drawn?: DrawnPage;
}

/** The media type of a page as a browser drew it. */
export const DRAWN_TYPE = "text/html; charset=utf-8";

export interface DrawnPage {
  html: string;
  rendering: Rendering;
}

/** A stored page in the formats requested. */
export interface Formatted {
  /** The main content as a document of its own. */
  html?: string;
  /** The page as the server sent it, decoded. */
  rawHtml?: string;
  markdown?: string;
  /** The Markdown in parts, in order. */
  chunks?: Chunk[];
  text?: string;
  json?: Metadata & { url: string; text: string };
  links?: Link[];
  /** The absolute URLs of the images of the whole page, each once. */
  images?: string[];
  /** The response headers, by name in lower case. */
  headers?: Record<string, string>;
  /** What was left out of its text, Markdown, chunks or JSON; null if nothing, because they are as they were read. */
  template?: TemplateNote | null;
}

const PARTS: Record<Format, Part | null> = {
  html: "html",
  rawHtml: null,
  markdown: "markdown",
  chunks: "markdown",
  text: "text",
  json: "text",
  links: "links",
  // They are those of the whole page, which is read by what a browser drew: that is stored with the content.
  images: "html",
  headers: null,
};

/** The parts from which these formats are made. */
export function partsOf(formats: readonly Format[]): Part[] {
  return [...new Set(formats.map((format) => PARTS[format]).filter((part) => part !== null))];
}
