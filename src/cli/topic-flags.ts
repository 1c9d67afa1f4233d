import { existsSync, readFileSync } from "node:fs";
import type { Command } from "commander";
import { UserError } from "./errors.ts";
import { collect, natural, share, withScheme } from "./shared-options.ts";

/** The subject of a crawl: its flags, and the example files among them. */

export interface TopicFlags {
  topic?: string;
  like?: string[];
  until?: number;
  limitPerHost?: number;
}

/** The API takes 100,000 characters of all texts together. */
const MAX_TEXTS = 100_000;

export function topicOptions(command: Command): Command {
  return command
    .option(
      "--topic <words>",
      "words of the subject: follow links best first, on all hosts, and say how relevant each page is",
    )
    .option(
      "--like <url|file>",
      "an example page of the subject, or a file with its text; may be repeated, with or without --topic",
      collect,
    )
    .option(
      "--until <share>",
      "with --topic or --like: end when fewer than this share of the last 200 pages were relevant, such as 0.05 (default: 0, never)",
      share,
    )
    .option(
      "--limit-per-host <n>",
      "stop after N completed pages of a host (default: 0, no limit; with a subject a quarter of --limit, at least 100)",
      natural(0),
    );
}

/** The part of the request. Throws UserError for a file that cannot be read. */
export function toTopic({ topic, like = [], until, limitPerHost }: TopicFlags): Record<string, unknown> {
  const files = like.filter((example) => !example.includes("://") && existsSync(example));
  const urls = like.filter((example) => !files.includes(example));
  const texts = files.map(readExample);
  const most = Math.floor(MAX_TEXTS / Math.max(1, texts.length));
  return {
    topic,
    like: urls.length === 0 ? undefined : urls.map(withScheme),
    likeTexts: texts.length === 0 ? undefined : texts.map((text) => text.slice(0, most)),
    until,
    limitPerHost,
  };
}

function readExample(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UserError(`--like cannot read ${file}: ${(error as Error).message}`, 2);
  }
  if (text.includes("\0")) throw new UserError(`--like ${file} is no text. Give the URL of the page instead.`, 2);
  const plain = /^\s*</.test(text) ? withoutTags(text) : text.trim();
  if (plain === "") throw new UserError(`--like ${file} has no text.`, 2);
  return plain;
}

/** The words of a page that was saved as HTML. */
function withoutTags(html: string): string {
  return html
    .replace(/<(script|style|template)\b[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->/gi, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/&[a-z]+;|&#\w+;/gi, " ")
    .replace(/\s+/g, " ")
    .trim();
}
