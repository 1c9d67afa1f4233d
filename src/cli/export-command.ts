import { constants } from "node:os";
import { type Command, Option } from "commander";
import { UserError } from "./errors.ts";
import { type ExportOutput, toFile, toSitemaps, toStream } from "./export-output.ts";
import { type Installation, type WhereOptions, withInstallation } from "./installation.ts";
import { describeWritten, writeOut } from "./out.ts";
import type { OutFolder } from "./out-folder.ts";
import {
  CHUNK_TOKENS_HELP,
  CLEAN_HELP,
  commaList,
  FORMATS_HELP,
  LABEL_HELP,
  MIN_RELEVANCE_HELP,
  natural,
  share,
  whereOptions,
} from "./shared-options.ts";
import { bytes, printable } from "./terminal-text.ts";

/** `orbweaver export`: writes a crawl as one stream, however many parts the API sends, or as a folder. */

const FORMATS = [
  "jsonl",
  "csv",
  "parquet",
  "markdown",
  "chunks",
  "llms",
  "llms-full",
  "sitemap",
  "warc",
  "wacz",
  "graphml",
  "graph-nodes",
  "graph-edges",
  "folder",
  "delta",
  "chunk-delta",
];
const DELTAS = new Set(["delta", "chunk-delta"]);
const TEXTS = new Set(["markdown", "chunks", "llms-full"]);
/** The formats of which a selection is useful. */
const LABELLED = ["jsonl", "csv", "parquet", "markdown", "sitemap"];
const NO_TEXT =
  "--clean is for --format markdown, chunks and llms-full, and for jsonl and delta with --formats: others have no text.";
const SHOW_EVERY_MS = 200;

interface Flags extends WhereOptions {
  format?: string;
  since?: string;
  out?: string;
  status?: string;
  label?: string;
  minRelevance?: number;
  formats?: string[];
  clean?: boolean;
  chunkTokens?: number;
}

export function addExportCommand(program: Command): void {
  const command = program
    .command("export")
    .description(
      "Export a crawl as JSON Lines, CSV, Parquet, Markdown, chunks, llms.txt, a sitemap or a folder, or, if its store is warc, as WARC or WACZ; or what became of a watch's pages.",
    )
    .argument("<id>", "the crawl")
    .addOption(new Option("--format <format>", "the format of the export; --since needs none").choices(FORMATS))
    .option("--since <cursor>", "only pages that were added, changed or removed since this cursor of a delta")
    .option("--out <file>", "write to this file or folder instead of standard output; files are renamed when complete")
    .option("--status <status>", "only queued, completed, disallowed, skipped, errored or cancelled URLs")
    .option("--label <label>", LABEL_HELP)
    .option("--min-relevance <n>", MIN_RELEVANCE_HELP, share)
    .option("--formats <list>", `jsonl and delta only: ${FORMATS_HELP}`, commaList)
    .option("--clean", `markdown, chunks, llms-full, and jsonl and delta with --formats: ${CLEAN_HELP}`)
    .option("--chunk-tokens <n>", CHUNK_TOKENS_HELP, natural(1));
  command.addHelpText(
    "after",
    "\nmarkdown, chunks, llms, llms-full and sitemap contain completed pages, the others all URLs. If a crawl has more pages than one sitemap may " +
      "list, --out becomes an index of several sitemaps. parquet has the fields of jsonl as columns, for DuckDB and pandas. A folder has pages that open offline, as with --browsable; " +
      "`resume ID --out DIR` writes them as the servers sent them.\n\nA delta is for an index that follows a watch: JSON Lines " +
      "whose last line has the cursor for the next --since. The first delta has all completed pages. A chunk-delta is the same " +
      "for an index of chunks: a line for each chunk that was added, changed or removed.\n\ngraphml is the link " +
      "graph of a crawl after `analyze ID`; graph-nodes and graph-edges are the same as two Parquet files.",
  );
  whereOptions(command).action(async (id: string, flags: Flags) => {
    const { out, status, label, formats, clean } = flags;
    const format = formatOf(flags);
    if (label !== undefined && !LABELLED.includes(format))
      throw new UserError(`--label is for --format ${LABELLED.join(", ")}: the others have the whole crawl.`, 2);
    if (clean && !TEXTS.has(format) && formats === undefined) throw new UserError(NO_TEXT, 2);
    if (format !== "folder") return withInstallation(flags, (at) => writeExport(id, { ...flags, format }, at));
    if (out === undefined) throw new UserError("A folder needs a name: --out DIR.", 2);
    if (status !== undefined || formats !== undefined || flags.minRelevance !== undefined)
      throw new UserError(
        "A folder has all URLs and pages: it takes no --status, no --min-relevance and no --formats.",
        2,
      );
    await withInstallation(flags, (at) => exportFolder(id, { dir: out, where: flags }, at));
  });
}

function formatOf({ format, since, status, minRelevance }: Flags): string {
  const chosen = format ?? (since === undefined ? undefined : "delta");
  if (chosen === undefined) throw new UserError(`Choose a format: --format ${FORMATS.join(", ")}.`, 2);
  if (since !== undefined && !DELTAS.has(chosen))
    throw new UserError("--since is for a delta: leave out --format, or give --format chunk-delta.", 2);
  if ((status !== undefined || minRelevance !== undefined) && DELTAS.has(chosen))
    throw new UserError("A delta has completed and removed pages: it takes no --status and no --min-relevance.", 2);
  return chosen;
}

async function exportFolder(id: string, folder: OutFolder, { client }: Installation): Promise<void> {
  const crawl = await client.crawl(id);
  const say = (line: string) => console.error(printable(line));
  const { dir } = folder;
  try {
    say(describeWritten(await writeOut(crawl, client, { ...folder, browsable: true, say }), dir));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`The export broke off, so ${dir} is not complete: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function writeExport(id: string, flags: Flags & { format: string }, { client }: Installation): Promise<void> {
  const crawl = await client.crawl(id);
  const root = new URL("/", crawl.urls[0]).href;
  const output = chooseOutput(flags, root);
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    // As shells report a signal.
    process.exitCode = 128 + constants.signals[signal];
    stop.abort();
  };
  // Through npm, one Ctrl-C arrives twice.
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  const progress = new ByteProgress(flags.out !== undefined);
  const parts = async function* () {
    for await (const { text, isLast } of client.export(id, flags, stop.signal)) {
      if (!isLast && flags.format === "sitemap" && flags.out === undefined)
        throw new UserError("The crawl has more pages than one sitemap may list. Add --out FILE.", 2);
      yield progress.count(text);
    }
  };
  try {
    const files = await output(parts(), stop.signal).finally(() => progress.clear());
    if (files.length > 0) console.error(`Wrote ${bytes(progress.bytes)} to ${files.join(", ")}.`);
    if (files.length > 1) console.error(`The first file is an index of the others, with their URLs at ${root}.`);
  } catch (error) {
    // The user stopped it.
    if (stop.signal.aborted) return;
    if (error instanceof UserError) throw error;
    throw new UserError(`The export broke off: ${messageOf(error)}`);
  } finally {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  }
}

function chooseOutput({ format, out }: Pick<Flags, "format" | "out">, root: string): ExportOutput {
  if (out === undefined) return toStream(process.stdout);
  return format === "sitemap" ? toSitemaps(out, root) : toFile(out);
}

/** Counts the bytes written, and shows them if standard error is a terminal that shows nothing else. */
class ByteProgress {
  bytes = 0;
  readonly #isShown: boolean;
  #shownAt = 0;

  constructor(isToFile: boolean) {
    this.#isShown = isToFile && process.stderr.isTTY;
  }

  async *count(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.bytes += chunk.byteLength;
      if (this.#isShown && Date.now() - this.#shownAt > SHOW_EVERY_MS) {
        this.#shownAt = Date.now();
        process.stderr.write(`\r\x1b[K${bytes(this.bytes)}`);
      }
      yield chunk;
    }
  }

  clear(): void {
    if (this.#isShown) process.stderr.write("\r\x1b[K");
  }
}
