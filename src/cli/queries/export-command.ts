import { constants } from "node:os";
import { type Command, Option } from "commander";
import { bytes } from "../../core/shown-values.ts";
import {
  EXPORT_GROUPS,
  EXPORT_NAMES,
  EXPORT_PARAMETERS,
  type ExportDoor,
  type ExportGroup,
  type ExportName,
  type ExportParameter,
  exportFormat,
  findRefused,
  formatsIn,
  listTakers,
  PARAMETER_NAMES,
} from "../../crawl/export-table.ts";
import { UserError } from "../errors.ts";
import { CRAWL_HELP, flagOf, natural, share, whereOptions, withFormats } from "../flags/shared-options.ts";
import type { ExportQuery } from "../installation/client.ts";
import { type Installation, type WhereOptions, withInstallation } from "../installation/installation.ts";
import { type ExportOutput, toFile, toSitemaps, toStream } from "../output/export-output.ts";
import { describeWritten, writeOut } from "../output/out.ts";
import type { OutFolder } from "../output/out-folder.ts";
import { printable } from "../output/terminal-text.ts";
import { formatOfName } from "./export-name.ts";

/** `orbweaver export`: writes a crawl as one stream, however many parts the API sends, or as a folder. */

const DOOR: ExportDoor = {
  formats: EXPORT_NAMES,
  format: (name) => name,
  parameter: (name) => (name === "formats" ? "--with" : flagOf(name)),
};

const OF_PAGES = EXPORT_NAMES.filter((name) => exportFormat(name).isOfPages);
const SHOW_EVERY_MS = 200;

interface Flags extends WhereOptions, Partial<ExportQuery> {
  format?: ExportName;
  out?: string;
}

export function addExportCommand(program: Command): void {
  const command = program
    .command("export")
    .description(
      "Export a crawl as JSON Lines, CSV, Parquet, Markdown, chunks, llms.txt, a sitemap or a folder, or, if its store is warc, as WARC or WACZ; or what became of a watch's pages.",
    )
    .argument("<id>", CRAWL_HELP)
    .addOption(
      new Option(
        "--format <format>",
        "the format; a name of --out such as site.csv says it too, and --since needs none",
      ).choices(EXPORT_NAMES),
    )
    .option("--since <cursor>", "only pages that were added, changed or removed since this cursor of a delta")
    .option("--out <file>", "write to this file or folder instead of standard output; files are renamed when complete")
    .option("--status <status>", "only queued, completed, disallowed, skipped, errored or cancelled URLs")
    .option("--label <label>", EXPORT_PARAMETERS.label)
    .option("--min-relevance <n>", EXPORT_PARAMETERS.minRelevance, share)
    .option("--raw-text", helpOf("rawText"))
    .option("--clean", helpOf("clean"))
    .option("--chunk-tokens <n>", helpOf("chunkTokens"), natural(1));
  command.addHelpText(
    "after",
    `\nFormats:\n${listFormats()}\n\n${OF_PAGES.join(", ")} contain completed pages, the others all URLs. ` +
      "If a crawl has more pages than one sitemap may " +
      "list, --out becomes an index of several sitemaps. parquet has the fields of jsonl as columns, for DuckDB and pandas. A folder has pages that open offline, as with --browsable; " +
      "`resume ID --out DIR` writes them as the servers sent them.\n\nA delta is for an index that follows a watch: JSON Lines " +
      "whose last line has the cursor for the next --since. The first delta has all completed pages. A chunk-delta is the same " +
      "for an index of chunks: a line for each chunk that was added, changed or removed.\n\ngraphml is the link " +
      "graph of a crawl after `analyze ID`; graph-nodes and graph-edges are the same as two Parquet files.",
  );
  withFormats(command, helpOf("formats"));
  whereOptions(command).action(async (id: string, flags: Flags) => {
    const { out } = flags;
    const format = formatOf(flags);
    const given = PARAMETER_NAMES.filter((name) => name !== "cursor" && name !== "parts" && flags[name] !== undefined);
    const [refused] = findRefused(format, given, DOOR);
    if (refused !== undefined) throw new UserError(refused.message, 2);
    if (out === undefined && exportFormat(format).isBinary && process.stdout.isTTY)
      throw new UserError(`${format} is no text. Write it to a file: --out FILE.`, 2);
    if (format !== "folder") return withInstallation(flags, (at) => writeExport(id, { ...flags, format }, at));
    if (out === undefined) throw new UserError("A folder needs a name: --out DIR.", 2);
    await withInstallation(flags, (at) => exportFolder(id, { dir: out, where: flags }, at));
  });
}

function listFormats(): string {
  const groups = Object.keys(EXPORT_GROUPS) as ExportGroup[];
  return groups.map((group) => `  ${EXPORT_GROUPS[group].title}: ${formatsIn(group).join(", ")}`).join("\n");
}

function helpOf(parameter: ExportParameter): string {
  return `${EXPORT_PARAMETERS[parameter]} For ${listTakers(parameter, DOOR).join(", ")}.`;
}

function formatOf({ format, since, out }: Flags): ExportName {
  if (format !== undefined) return format;
  if (since !== undefined) return "delta";
  const named = out === undefined ? null : formatOfName(out);
  if (named !== null) return named;
  throw new UserError(`Choose a format: --format ${EXPORT_NAMES.join(", ")}.`, 2);
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
