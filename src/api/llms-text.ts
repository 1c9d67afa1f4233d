import type { Metadata } from "../media/document.ts";

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

const MAX_NOTE = 300;
const ROOT = "Pages";

export function writeLlmsHead({ url, title, description }: HomePage): string {
  const name = oneLine(title ?? "") || new URL(url).host;
  const note = oneLine(description ?? "");
  return `# ${name}\n\n${note === "" ? "" : `> ${note}\n\n`}`;
}

/** A line, with the heading of its section before it where a section begins. `before`: the URL of the line before. */
export function writeLlmsEntry({ url, title, metadata }: Listed, before: string | null): string {
  const name = sectionOf(url);
  const begins = before === null || sectionOf(before) !== name;
  const heading = begins ? `${before === null ? "" : "\n"}## ${name}\n\n` : "";
  const note = oneLine(metadata?.description ?? "").slice(0, MAX_NOTE);
  const shown = (oneLine(title ?? metadata?.title ?? "") || url).replace(/[[\]\\]/g, "\\$&");
  return `${heading}- [${shown}](${targetOf(url)})${note === "" ? "" : `: ${note}`}\n`;
}

interface FullPage {
  url: string;
  title: string | null;
  markdown?: string | undefined;
  problem?: string | undefined;
}

/** A page with its title and its source. Its own first heading goes, if it says the same. */
export function writeLlmsPage({ url, title, markdown = "", problem }: FullPage): string {
  const name = oneLine(title ?? "") || url;
  const [first = "", rest = ""] = splitFirstLine(markdown);
  const repeats = /^# /.test(first) && lettersOf(first) === lettersOf(name);
  const body = (repeats ? rest : markdown).trim();
  const note = problem === undefined ? "" : `Not read: ${oneLine(problem)}\n`;
  return `# ${name}\n\nSource: ${url}\n${note}${body === "" ? "" : `\n${body}\n`}\n`;
}

/** Its folder: the first segment of a path that has more than one. */
function sectionOf(url: string): string {
  const [scheme = "", , host = "", folder = "", ...rest] = url.split("/");
  if (rest.length === 0) return ROOT;
  return `${decode(folder)} (${scheme}//${host}/${folder}/)`;
}

function decode(segment: string): string {
  try {
    return oneLine(decodeURIComponent(segment));
  } catch {
    // It has a percent sign that begins no escape.
    return segment;
  }
}

function targetOf(url: string): string {
  return url.replace(/[()]/g, (char) => (char === "(" ? "%28" : "%29"));
}

function splitFirstLine(text: string): [string, string] {
  const start = text.trimStart();
  const end = start.indexOf("\n");
  return end === -1 ? [start, ""] : [start.slice(0, end), start.slice(end)];
}

function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
