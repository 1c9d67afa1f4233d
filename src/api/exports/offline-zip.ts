import { makeZip } from "client-zip";
import { zipDate } from "../../archive/zip-date.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { FormattedRecord } from "../../crawl/page/formatted-record.ts";
import type { Deps } from "../../frontier/deps.ts";
import { type PartedDeps, storesOf } from "../../frontier/shards/over-parts.ts";
import { escapeHtml } from "../../media/html/tree/write-html.ts";
import { exportWhole, isBounded } from "../../reading/exports/export-part.ts";
import { readBrowsableFile } from "../../reading/folder/browsable-file.ts";
import { findFiles } from "../../reading/folder/find-files.ts";
import { folderPath, relativeUrl } from "../../reading/folder/folder-path.ts";
import { wholeReadingOf } from "../records/reading-query.ts";
import { viewRecord } from "../records/record-schemas.ts";
import type { TextExportDeps } from "./text-export.ts";

/**
 * The folder that `--out` writes, as one ZIP: the pages as files that link to each other, records.jsonl, and an
 * index.html that opens the page of the first seed. Entries are stored uncompressed, so the file is a stream.
 */

/**
 * Files that one request may read on Cloudflare: each is some four subrequests, of which there are 1,000 on Workers
 * Free. https://developers.cloudflare.com/workers/platform/limits/#subrequests
 */
const MOST_FILES = 200;

type OfflineDeps = TextExportDeps & PartedDeps & Pick<Deps, "clock">;
type FolderDeps = Pick<OfflineDeps, "clock"> & Parameters<typeof readBrowsableFile>[2];
type Records = AsyncGenerator<FormattedRecord>;

interface Entry {
  name: string;
  lastModified: Date;
  input: string | Uint8Array | AsyncIterable<Uint8Array>;
}

/** Null if the crawl has more than one request may read on this platform. */
export async function writeOfflineZip(crawl: Crawl, deps: OfflineDeps): Promise<ReadableStream<Uint8Array> | null> {
  const all = { formats: [], fields: "all", only: "all" } as const;
  const reading = await wholeReadingOf(crawl, { formats: [], rawText: true }, deps);
  if (isBounded(deps) && crawl.counters.completed > MOST_FILES) return null;
  const records = await exportWhole(crawl, all, reading);
  const files = await exportWhole(crawl, { ...all, fields: [], status: "completed" }, reading);
  if (records === null || files === null) return null;
  return makeZip(entriesOf(crawl, records, files, storesOf(crawl, deps)));
}

async function* entriesOf(crawl: Crawl, records: Records, files: Records, deps: FolderDeps): AsyncGenerator<Entry> {
  const lastModified = zipDate(deps.clock.now());
  yield { name: "index.html", lastModified, input: await startPage(crawl, deps) };
  yield { name: "records.jsonl", lastModified, input: linesOf(records) };
  for await (const { record } of files) {
    const { url, sha256, fetchedAt } = record;
    const file = sha256 === null ? null : await readBrowsableFile(crawl, url, deps);
    if (file === null) continue;
    yield { name: `pages/${file.path}`, lastModified: zipDate(fetchedAt ?? deps.clock.now()), input: file.body };
  }
}

async function* linesOf(records: Records): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const { record } of records) {
    const { url, status, sha256, contentType } = record;
    // A media file that is described has no file.
    const file = status === "completed" && sha256 !== null ? `pages/${folderPath(url, contentType)}` : null;
    yield encoder.encode(`${JSON.stringify({ ...viewRecord(record), file })}\n`);
  }
}

/** Opens the page of the first seed, wherever that has redirected to. */
async function startPage({ id, options }: Crawl, deps: FolderDeps): Promise<string> {
  const [seed = ""] = options.urls;
  const files = await findFiles(new Set([seed]), (urls) => deps.records.among(id, urls));
  const path = files.get(seed);
  const href = path === undefined ? "pages/" : relativeUrl("index.html", `pages/${path}`);
  const title = escapeHtml(seed);
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${escapeHtml(href)}"><title>${title}</title><p><a href="${escapeHtml(href)}">${title}</a></p>\n`;
}
