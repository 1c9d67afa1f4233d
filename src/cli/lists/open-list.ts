import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { count, plural } from "../../core/shown-values.ts";
import { canonicalize, MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { errorCode, UserError } from "../errors.ts";
import { withScheme } from "../flags/shared-options.ts";
import type { ListEntry } from "./list-entry.ts";
import { readList } from "./read-list.ts";

/** Opens the files of `--urls`, and says what of them cannot be crawled. */

export interface UrlList {
  /** For people. */
  name: string;
  /** Each page once. */
  seeds: { url: string; place: string }[];
  /** What is no URL of a page, in its order. */
  invalid: InvalidEntry[];
  /** Entries that name a page again. */
  duplicates: number;
}

export interface InvalidEntry {
  /** Such as `line 12` or `line 12 of pages.csv`. */
  place: string;
  text: string;
  why: string;
}

/** Of text, decompressed: Node holds no longer one. */
const MAX_BYTES = 500_000_000;
const MAX_SHOWN = 5;
/** A host without a dot has its scheme, or a port: a word alone is a header or a note. */
const HOSTS = [
  /^https?:\/\//i,
  /^[\w-]+:\d+(?:[/?#]|$)/,
  /^localhost(?:[/?#]|$)/i,
  /^\[[\da-f:.]+\](?::\d+)?(?:[/?#]|$)/i,
];

/** `-` is standard input. Throws UserError. */
export async function openLists(files: readonly string[]): Promise<UrlList> {
  if (files.filter((file) => file === "-").length > 1)
    throw new UserError("Standard input can be read only once: give `-` once.", 2);
  const [first = ""] = files;
  const name = files.length > 1 ? `${nameOf(first)} and ${plural(files.length - 1, "file")} more` : nameOf(first);
  const list: UrlList = { name, seeds: [], invalid: [], duplicates: 0 };
  const known = new Set<string>();
  for (const file of files)
    for (const entry of readList(await textOf(file), nameOf(file))) {
      const place = `line ${count(entry.line)}${files.length > 1 ? ` of ${nameOf(file)}` : ""}`;
      const url = pageOf(entry.text);
      if (url === null) list.invalid.push({ place, text: entry.text, why: whyInvalid(entry) });
      else if (known.has(url)) list.duplicates += 1;
      else {
        known.add(url);
        list.seeds.push({ url, place });
      }
    }
  return list;
}

export function nameOf(file: string): string {
  return file === "-" ? "standard input" : file;
}

/** The canonical URL of what somebody wrote; null if it names no page. */
export function pageOf(text: string): string | null {
  if (/\s/.test(text)) return null;
  const url = isHost(text) ? canonicalize(withScheme(text)) : null;
  return url === null || url.length > MAX_URL_LENGTH ? null : url;
}

function isHost(text: string): boolean {
  const [, name = ""] = /^([^\s/?#@:[\]]+)(?::\d+)?(?:[/?#]|$)/.exec(text) ?? [];
  return /[^.]\.[^.]/.test(name) || HOSTS.some((host) => host.test(text));
}

function whyInvalid({ text }: Pick<ListEntry, "text">): string {
  if (/\s/.test(text)) return "it has spaces";
  if (text.length > MAX_URL_LENGTH) return `it is longer than ${count(MAX_URL_LENGTH)} characters`;
  return "it is no http or https URL";
}

/** The text of a file, of standard input, or of a compressed file. Throws UserError. */
export async function textOf(file: string): Promise<string> {
  try {
    const bytes = file === "-" ? await readInput() : await readFile(file);
    const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return decode(isCompressed ? gunzipSync(bytes, { maxOutputLength: MAX_BYTES }) : bytes);
  } catch (error) {
    throw new UserError(`${nameOf(file)} cannot be read (${errorCode(error)}).`, 2);
  }
}

async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** By its byte order mark; spreadsheets write UTF-16. Without one, UTF-8. */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

/** Lines for people: what the list has, and what of it is left out. */
export function describeList({ name, seeds, invalid, duplicates }: UrlList): string[] {
  const again = duplicates === 0 ? "" : `, and ${count(duplicates)} that repeat one of them`;
  return [`${name}: ${plural(seeds.length, "URL")}${again}.`, ...describeInvalid(invalid)];
}

export function describeInvalid(invalid: readonly InvalidEntry[]): string[] {
  if (invalid.length === 0) return [];
  const shown = invalid.slice(0, MAX_SHOWN).map(({ place, text, why }) => `  ${place}: ${text.slice(0, 100)} (${why})`);
  const more = invalid.length > MAX_SHOWN ? [`  and ${count(invalid.length - MAX_SHOWN)} more`] : [];
  return [`Left out: ${plural(invalid.length, "line")} that cannot be crawled.`, ...shown, ...more];
}
