import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { count, plural } from "../../core/shown-values.ts";
import type { ListEntry } from "../../crawl/lists/list-entry.ts";
import { decodeList, type InvalidEntry, type ListedSeed, pageOf, whyInvalid } from "../../crawl/lists/page-url.ts";
import { readList } from "../../crawl/lists/read-list.ts";
import { UnreadableList } from "../../crawl/lists/unreadable-list.ts";
import { hideUserInfo } from "../../url/user-info.ts";
import { errorCode, UserError } from "../errors.ts";

/** Opens the files of `--urls`, and says what of them cannot be crawled. */

export interface UrlList {
  /** For people. */
  name: string;
  /** Each page once. */
  seeds: ListedSeed[];
  /** What is no URL of a page, in its order. */
  invalid: InvalidEntry[];
  /** Entries that name a page again. */
  duplicates: number;
  /** Sitemaps, and indexes of them, whose pages belong to the list: they have to be fetched. Each once. */
  sitemaps: string[];
}

/** Of text, decompressed: Node holds no longer one. */
const MAX_BYTES = 500_000_000;
const MAX_SHOWN = 5;
/** `-` is standard input, and a URL a sitemap. Throws UserError. */
export async function openLists(files: readonly string[]): Promise<UrlList> {
  if (files.filter((file) => file === "-").length > 1)
    throw new UserError("Standard input can be read only once: give `-` once.", 2);
  const [first = ""] = files;
  const name = files.length > 1 ? `${nameOf(first)} and ${plural(files.length - 1, "file")} more` : nameOf(first);
  const list: UrlList = { name, seeds: [], invalid: [], duplicates: 0, sitemaps: [] };
  const known = new Set<string>();
  for (const file of files) {
    if (/^https?:\/\//i.test(file)) {
      addSitemap(list, { text: file, line: 1, rest: [] }, "argument");
      continue;
    }
    for (const entry of await readFileOf("--urls", file)) {
      const place = `line ${count(entry.line)}${files.length > 1 ? ` of ${nameOf(file)}` : ""}`;
      if (entry.isSitemap) {
        addSitemap(list, entry, place);
        continue;
      }
      const url = pageOf(entry.text);
      if (url === null) list.invalid.push({ place, text: entry.text, why: whyInvalid(entry) });
      else if (known.has(url)) list.duplicates += 1;
      else {
        known.add(url);
        list.seeds.push({ url, place });
      }
    }
  }
  return list;
}

function addSitemap(list: UrlList, entry: ListEntry, place: string): void {
  const url = pageOf(entry.text);
  if (url === null) list.invalid.push({ place, text: entry.text, why: whyInvalid(entry) });
  else if (list.sitemaps.includes(url)) list.duplicates += 1;
  else list.sitemaps.push(url);
}

export function nameOf(file: string): string {
  return file === "-" ? "standard input" : file;
}

/** The entries of a list. `flag`: the one that names it. Throws UserError. */
export async function readFileOf(flag: string, file: string): Promise<ListEntry[]> {
  try {
    return readList(await textOf(flag, file), nameOf(file));
  } catch (error) {
    if (error instanceof UnreadableList) throw new UserError(`${flag}: ${error.message}`, 2);
    throw error;
  }
}

/** The text of a file, of standard input, or of a compressed file. Throws UserError. */
async function textOf(flag: string, file: string): Promise<string> {
  try {
    const bytes = file === "-" ? await readInput() : await readFile(file);
    const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return decodeList(isCompressed ? gunzipSync(bytes, { maxOutputLength: MAX_BYTES }) : bytes);
  } catch (error) {
    throw new UserError(`${flag}: ${nameOf(file)} cannot be read (${errorCode(error)}).`, 2);
  }
}

async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Lines for people: what the list has, and what of it is left out. */
export function describeList({ name, seeds, invalid, duplicates }: Omit<UrlList, "sitemaps">): string[] {
  const again = duplicates === 0 ? "" : `, and ${count(duplicates)} that repeat one of them`;
  return [`${name}: ${plural(seeds.length, "URL")}${again}.`, ...describeInvalid(invalid)];
}

export function describeInvalid(invalid: readonly InvalidEntry[]): string[] {
  if (invalid.length === 0) return [];
  const shown = invalid
    .slice(0, MAX_SHOWN)
    .map(({ place, text, why }) => `  ${place}: ${hideUserInfo(text).slice(0, 100)} (${why})`);
  const more = invalid.length > MAX_SHOWN ? [`  and ${count(invalid.length - MAX_SHOWN)} more`] : [];
  return [`Left out: ${plural(invalid.length, "line")} that cannot be crawled.`, ...shown, ...more];
}
