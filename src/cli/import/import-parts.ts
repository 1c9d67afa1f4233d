import { open, readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { errorCode, UserError } from "../errors.ts";
import { type ArchivePart, readAt } from "./archive-pieces.ts";
import { type ForeignWatch, readWatches } from "./changedetection.ts";
import { readWacz, textOf, WACZ_FILES, zipParts } from "./wacz-parts.ts";

/** Finds out what the files of an import are: by their first bytes and by what they hold, whatever they are called. */

export interface ImportSource {
  name: string;
  parts: ArchivePart[];
  seeds: string[];
  /** Of another tool; empty for an archive. */
  watches: ForeignWatch[];
}

const WATCH_FILES = /(?:^|\/)(?:url-watches|changedetection|watch)\.json$|(?:^|\/)url-list\.txt$/;
/** Longer texts are no lists of watches. */
const MAX_WATCH_LIST_BYTES = 64 * 1024 * 1024;

export async function openSource(files: readonly string[]): Promise<ImportSource> {
  const parts: ArchivePart[] = [];
  const seeds: string[] = [];
  const watches: ForeignWatch[] = [];
  for (const path of files) {
    const size = await sizeOf(path);
    const kind = await kindOf(path);
    if (kind === "warc") parts.push({ name: basename(path), path, start: 0, end: size, isDeflated: false });
    else if (kind === "zip") {
      const lists = await zipParts(path, size, WATCH_FILES);
      if (lists.length > 0) watches.push(...(await watchesIn(path, lists)));
      else {
        const wacz = await readWacz(path, await zipParts(path, size, WACZ_FILES));
        parts.push(...wacz.warcs);
        seeds.push(...wacz.seeds);
      }
    } else {
      const found =
        size > MAX_WATCH_LIST_BYTES ? null : readWatches((await readFile(path, "utf8")).replace(/^\ufeff/, ""));
      if (found === null) throw new UserError(`${path} is neither WARC, WACZ nor a list of watches.`, 2);
      watches.push(...found);
    }
  }
  if (watches.length > 0 && parts.length > 0)
    throw new UserError("Archives and lists of watches become different things: import them one after the other.", 2);
  const [first = ""] = files;
  const name = files.length > 1 ? `${basename(first)} and ${files.length - 1} more` : basename(first);
  return { name, parts, seeds: [...new Set(seeds)], watches };
}

/** The best of the lists in a back-up: one file of all watches, or one for each, or the URLs alone. */
async function watchesIn(path: string, lists: readonly ArchivePart[]): Promise<ForeignWatch[]> {
  for (const wanted of [/url-watches\.json$/, /watch\.json$/, /changedetection\.json$/, /url-list\.txt$/]) {
    const found: ForeignWatch[] = [];
    for (const list of lists.filter(({ name }) => wanted.test(name)))
      found.push(...(readWatches(await textOf(list)) ?? []));
    if (found.length > 0) return found;
  }
  throw new UserError(`${path} has no watches.`);
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: unknown) => {
    const why = errorCode(error) === "ENOENT" ? "there is no such file" : errorCode(error);
    throw new UserError(`${path} cannot be read: ${why}.`, 2);
  });
  if (found.isDirectory()) throw new UserError(`${path} is a folder. Name the files in it: ${path}/*.warc.gz`, 2);
  if (found.size === 0) throw new UserError(`${path} is empty.`, 2);
  return found.size;
}

/** By its first bytes. Throws UserError for a compression that is not read. */
async function kindOf(path: string): Promise<"zip" | "warc" | "text"> {
  const file = await open(path);
  try {
    const first = (await readAt(file, 0, 8)).toString("latin1");
    if (first.startsWith("PK")) return "zip";
    if (first.startsWith("\x1f\x8b") || first.startsWith("WARC/")) return "warc";
    if (first.startsWith("\x28\xb5\x2f\xfd") || first.startsWith("\x5d\x2a\x4d\x18"))
      throw new UserError(`${path} is compressed with zstd. Decompress it first: zstd -d ${path}`, 2);
    return "text";
  } finally {
    await file.close();
  }
}
