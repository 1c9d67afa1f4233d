import type { Content, ContentFormat, Metadata } from "../media/html/content.ts";
import type { OutLink } from "../media/html/links.ts";

/** What a kept page can be read as. */
export const FORMATS = ["html", "rawHtml", "markdown", "text", "json", "links", "headers"] as const;
export type Format = (typeof FORMATS)[number];

/** What has to be made of a page, while it is parsed or later; the rest is in the mirror as it came. */
export type Part = ContentFormat | "links";

/** What was made of a page, as it is kept beside it. A part that nobody has asked for is left out. */
export interface KeptContent extends Content {
  /** Canonical outlinks, each once. */
  links?: OutLink[];
}

/** A kept page in the formats that somebody asked for. */
export interface Formatted {
  /** The main content in a small document of its own. */
  html?: string;
  /** The page as the server sent it, decoded. */
  rawHtml?: string;
  markdown?: string;
  text?: string;
  json?: Metadata & { url: string; text: string };
  links?: OutLink[];
  /** Of the answer, by name in lower case. */
  headers?: Record<string, string>;
}

const PARTS: Record<Format, Part | null> = {
  html: "html",
  rawHtml: null,
  markdown: "markdown",
  text: "text",
  json: "text",
  links: "links",
  headers: null,
};

/** The parts that these formats are read from. */
export function partsOf(formats: readonly Format[]): Part[] {
  return [...new Set(formats.map((format) => PARTS[format]).filter((part) => part !== null))];
}
