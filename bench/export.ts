/**
 * Exports a crawl of a million records to its end, in each format, by the command line and by HTTP: time, bytes and
 * memory. It throws unless each export has every record.
 *
 *     npm run bench:export -- [--records 1000000] [--pages 2000] [--formats jsonl,csv]
 *
 * A crawl of a million pages takes hours. So the bench crawls `--pages` pages of a generated site, and writes the other
 * rows to the local D1's file while nothing runs: copies of theirs in other folders, with the same stored pages. The
 * database is as large as that of a real crawl; the stored pages are few, so disk caches have them.
 */
import { createReadStream, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { parquetMetadata } from "hyparquet";
import type { Summary } from "../src/cli/output/summary.ts";
import { run, scratch, serve } from "../test/e2e/cli.ts";
import { measureCommand, mebibytes } from "./measured-command.ts";
import { residentBytes } from "./memory.ts";
import { startSiteProcess } from "./site-process.ts";

const { values } = parseArgs({
  options: {
    records: { type: "string", default: "1000000" },
    pages: { type: "string", default: "2000" },
    formats: { type: "string", default: "jsonl,csv,urls,parquet,llms,markdown,llms-full,chunks" },
  },
});
const PAGES = Number(values.pages);
const COPIES = Math.ceil(Number(values.records) / PAGES) - 1;
const RECORDS = PAGES * (COPIES + 1);
const SAMPLE_MS = 500;
/** What stands once in the part of a text that a page makes. Parquet says itself how many rows it has. */
const MARKS: Record<string, RegExp> = {
  jsonl: /^\{"url":/gm,
  csv: /^https?:/gm,
  urls: /^https?:/gm,
  llms: /^- \[/gm,
  markdown: /^url: /gm,
  "llms-full": /^Source: /gm,
  // The first chunk of a page.
  chunks: /"order":0,/g,
};
/** A copy's values that are not those of its page, in SQL. */
const COPIED: Record<string, string> = {
  url: "substr(url, 1, instr(substr(url, 9), '/') + 8) || printf('copy-%05d/', n) || substr(url, instr(substr(url, 9), '/') + 9)",
  seq: `seq + n * ${PAGES}`,
};
const HEAD = ["format", "by", "seconds", "records/s", "MiB", "memory of workerd, MiB", "memory of Node, MiB"];

interface Exported {
  seconds: number;
  bytes: number;
  workerd: number;
  /** Null where the bench reads it. */
  node: number | null;
}

const dir = scratch();
const state = join(dir.path, "state");
try {
  const id = await crawlSite();
  copyRows(id);
  console.log(`${RECORDS.toLocaleString("en")} records\n\n| ${HEAD.join(" | ")} |\n|${" --- |".repeat(HEAD.length)}`);
  for (const format of values.formats.split(",")) {
    show(format, "command", await byCommand(id, format));
    show(format, "HTTP", await byHttp(id, format));
  }
} finally {
  dir.remove();
}

function show(format: string, by: string, { seconds, bytes, workerd, node }: Exported): void {
  const cells = [format, by, seconds.toFixed(0), (RECORDS / seconds).toFixed(0), mebibytes(bytes), mebibytes(workerd)];
  console.log(`| ${[...cells, node === null ? "" : mebibytes(node)].join(" | ")} |`);
}

async function crawlSite(): Promise<string> {
  const site = await startSiteProcess({ pages: PAGES, links: 20, bytes: 2_000 }, [], () => undefined);
  try {
    const flags = ["--delay", "0", "--concurrency", "8", "--markdown", "--limit", String(PAGES), "--json"];
    const { stdout } = await run("crawl", `${site.origin}/`, ...flags, "--state", state);
    const { id, completed } = JSON.parse(stdout) as Summary;
    if (completed !== PAGES) throw new Error(`${completed} pages of ${PAGES}`);
    return id;
  } finally {
    await site.close();
  }
}

/** Adds the rows of each copy, in a folder of its own, and their number to the counters. */
function copyRows(crawl: string): void {
  const folder = join(state, "v3", "d1", "miniflare-D1DatabaseObject");
  const file = readdirSync(folder).find((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)) ?? "";
  const db = new DatabaseSync(join(folder, file));
  const columns = db.prepare("PRAGMA table_info(urls)").all() as { name: string }[];
  const names = columns.map(({ name }) => name);
  const values = names.map((name) => COPIED[name] ?? name);
  db.exec("PRAGMA synchronous = OFF; BEGIN");
  db.prepare("DELETE FROM urls WHERE crawl = ? AND status != 'completed'").run(crawl);
  db.prepare(
    `INSERT INTO urls (${names}) WITH RECURSIVE copies (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM copies WHERE n < ?)
     SELECT ${values} FROM copies JOIN urls ON crawl = ?`,
  ).run(COPIES, crawl);
  db.prepare(
    `UPDATE crawls SET discovered = ?, completed = ?, skipped = 0, errored = 0, disallowed = 0 WHERE id = ?`,
  ).run(RECORDS, RECORDS, crawl);
  db.exec("COMMIT");
  db.close();
}

async function byCommand(id: string, format: string): Promise<Exported> {
  const out = join(dir.path, "export");
  const measured = await measureCommand("export", id, "--format", format, "--out", out, "--state", state);
  const bytes = await countRecords(createReadStream(out), format);
  rmSync(out);
  return { ...measured, bytes };
}

async function byHttp(id: string, format: string): Promise<Exported> {
  const served = await serve(state);
  try {
    const startedAt = performance.now();
    const answer = await fetch(`${served.address}/api/crawls/${id}/export?format=${format}`, {
      headers: { authorization: `Bearer ${served.token}` },
    });
    if (!answer.ok || answer.body === null) throw new Error(`${format}: ${answer.status} ${await answer.text()}`);
    let workerd = 0;
    let hasEnded = false;
    const counted = countRecords(Readable.fromWeb(answer.body as never), format).finally(() => {
      hasEnded = true;
    });
    counted.catch(() => undefined);
    for (; !hasEnded; await Promise.race([counted, sleep(SAMPLE_MS)]))
      workerd = Math.max(workerd, residentBytes(served.pid, "workerd") ?? 0);
    return { bytes: await counted, seconds: (performance.now() - startedAt) / 1_000, workerd, node: null };
  } finally {
    await served.close();
  }
}

/** The bytes of an export. Throws unless it has every record. */
async function countRecords(stream: Readable, format: string): Promise<number> {
  const mark = MARKS[format];
  const kept: Buffer[] = [];
  let bytes = 0;
  let records = 0;
  let rest = "";
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (mark === undefined) {
      kept.push(chunk);
      continue;
    }
    const text = rest + chunk.toString("latin1");
    const end = text.lastIndexOf("\n") + 1;
    records += text.slice(0, end).match(mark)?.length ?? 0;
    rest = text.slice(end);
  }
  if (mark === undefined) records = Number(parquetMetadata(new Uint8Array(Buffer.concat(kept)).buffer).num_rows);
  if (records !== RECORDS) throw new Error(`${format} has ${records} records in ${bytes} bytes, not ${RECORDS}`);
  return bytes;
}
