import type { Metadata } from "../../media/document.ts";
import { escapeBlock, escapeHeading, escapeInline, toPlainLine } from "./markdown-text.ts";

/**
 * Writes the files of https://llmstxt.org: `llms.txt`, a list of a site's pages with a section for each folder, and
 * `llms-full.txt`, all of their Markdown.
 */

/** The page of the first seed. */
export interface HomePage {
  url: string;
  title: string | null;
  description: string | null;
}

interface Listed {
  url: string;
  title: string | null;
  metadata: Metadata | null;
}

/** Characters. A longer one is cut. */
const MAX_TITLE = 200;
const MAX_NOTE = 300;
const ROOT = "Pages";

export function writeLlmsHead({ url, title, description }: HomePage): string {
  const name = toTitle(title) || new URL(url).host;
  const note = toPlainLine(description ?? "");
  return `# ${escapeHeading(name)}\n\n${note === "" ? "" : `> ${escapeBlock(note)}\n\n`}`;
}

/** A line, with the heading of its section before it where a section begins. `before`: the URL of the line before. */
export function writeLlmsEntry({ url, title, metadata }: Listed, before: string | null): string {
  const name = sectionOf(url);
  const begins = before === null || sectionOf(before) !== name;
  const heading = begins ? `${before === null ? "" : "\n"}## ${name}\n\n` : "";
  const note = cut(toPlainLine(metadata?.description ?? ""), MAX_NOTE);
  const shown = toTitle(title ?? metadata?.title) || url;
  return `${heading}- [${escapeInline(shown)}](${targetOf(url)})${note === "" ? "" : `: ${escapeInline(note)}`}\n`;
}

interface FullPage {
  url: string;
  title: string | null;
  markdown?: string | undefined;
  problem?: string | undefined;
}

/** A page with its title and its source. Its own first heading goes, if it says the same. */
export function writeLlmsPage({ url, title, markdown = "", problem }: FullPage): string {
  const name = toTitle(title) || url;
  const [first = "", rest = ""] = splitFirstLine(markdown);
  const repeats = /^# /.test(first) && lettersOf(toPlainLine(first)) === lettersOf(name);
  const body = (repeats ? rest : markdown).trim();
  const note = problem === undefined ? "" : `Not read: ${toPlainLine(problem)}\n`;
  return `# ${escapeHeading(name)}\n\nSource: ${url}\n${note}${body === "" ? "" : `\n${body}\n`}\n`;
}

/** Its folder: the first segment of a path that has more than one. */
function sectionOf(url: string): string {
  const [scheme = "", , host = "", folder = "", ...rest] = url.split("/");
  if (rest.length === 0) return ROOT;
  return `${escapeInline(toPlainLine(decode(folder)))} (${scheme}//${host}/${folder}/)`;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // It has a percent sign that begins no escape.
    return segment;
  }
}

function targetOf(url: string): string {
  return url
    .replace(/[()]/g, (char) => (char === "(" ? "%28" : "%29"))
    .replace(/&(?=#?[a-z0-9]{1,40};)/gi, "&amp;")
    .replaceAll("\\", "\\\\");
}

function splitFirstLine(text: string): [string, string] {
  const start = text.trimStart();
  const end = start.indexOf("\n");
  return end === -1 ? [start, ""] : [start.slice(0, end), start.slice(end)];
}

function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}

function toTitle(title: string | null | undefined): string {
  return cut(toPlainLine(title ?? ""), MAX_TITLE);
}

function cut(text: string, most: number): string {
  const chars = [...text];
  return chars.length <= most ? text : `${chars.slice(0, most).join("").trim()}…`;
}
