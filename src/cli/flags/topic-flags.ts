import { existsSync, readFileSync } from "node:fs";
import { withScheme } from "../../url/with-scheme.ts";
import { UserError } from "../errors.ts";

/** The examples of a crawl with a subject: URLs, and files with texts. */

/** The API takes 100,000 characters of all texts together. */
const MAX_TEXTS = 100_000;

/** Examples of the subject in a request. Throws UserError for a file that cannot be read. */
export function toExamples(like: readonly string[] = []): { like?: string[]; likeTexts?: string[] } {
  const files = like.filter((example) => !example.includes("://") && (existsSync(example) || isPath(example)));
  const urls = like.filter((example) => !files.includes(example));
  const texts = files.map(readExample);
  const most = Math.floor(MAX_TEXTS / Math.max(1, texts.length));
  return {
    ...(like.length === 0 ? {} : { like: urls.map(withScheme) }),
    ...(texts.length === 0 ? {} : { likeTexts: texts.map((text) => text.slice(0, most)) }),
  };
}

/** What is written like a path or the name of a text is no host, so a file that is missing is not taken for one. */
function isPath(example: string): boolean {
  return /^(?:[./~]|[A-Za-z]:\\)|^[^/]+\.(?:txt|text|html?)$/i.test(example);
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
