import { type Command, Option } from "commander";
import { UserError } from "./errors.ts";
import { type ExportOutput, toFile, toSitemaps, toStream } from "./export-output.ts";
import { type Installation, type WhereOptions, withInstallation } from "./installation.ts";
import { FORMATS_HELP, listed, whereOptions } from "./shared-options.ts";
import { bytes } from "./terminal-text.ts";

/** `orbweaver export`: a whole crawl as one stream, however many parts it comes in. */

const FORMATS = ["jsonl", "csv", "markdown", "sitemap", "warc", "wacz"];
const SHOW_EVERY_MS = 200;
/** 128 and the signal's number, as shells have it. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 };

interface Flags extends WhereOptions {
  format: string;
  out?: string;
  status?: string;
  formats?: string[];
}

export function addExportCommand(program: Command): void {
  const command = program
    .command("export")
    .description(
      "Write a whole crawl as JSON lines, CSV, Markdown, a sitemap, or, where its pages are packed, WARC or WACZ.",
    )
    .argument("<id>", "the crawl")
    .addOption(new Option("--format <format>", "what to write").choices(FORMATS).makeOptionMandatory())
    .option("--out <file>", "write there instead of the standard output; it has that name when it is whole")
    .option("--status <status>", "only queued, completed, disallowed, skipped, errored or cancelled ones")
    .option("--formats <list>", `jsonl ${FORMATS_HELP}`, listed);
  command.addHelpText(
    "after",
    "\nmarkdown and sitemap are of completed pages, the others of all URLs. A sitemap of more pages than one file may list becomes several, " +
      "with an index of them in --out.",
  );
  whereOptions(command).action(async (id: string, flags: Flags) => {
    await withInstallation(flags, (at) => writeExport(id, flags, at));
  });
}

async function writeExport(id: string, flags: Flags, { client }: Installation): Promise<void> {
  const crawl = await client.crawl(id);
  const root = new URL("/", crawl.urls[0]).href;
  const output = outputOf(flags, root);
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    process.exitCode = EXIT_CODES[signal as keyof typeof EXIT_CODES];
    stop.abort();
  };
  // Run through npm, one Ctrl-C arrives twice.
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  const progress = new Written(flags.out !== undefined);
  const parts = async function* () {
    for await (const { text, isLast } of client.export(id, flags, stop.signal)) {
      if (!isLast && flags.format === "sitemap" && flags.out === undefined)
        throw new UserError("The crawl has more pages than one sitemap may list: name --out FILE.", 2);
      yield progress.count(text);
    }
  };
  try {
    const files = await output(parts(), stop.signal).finally(() => progress.clear());
    if (files.length > 0) console.error(`Wrote ${bytes(progress.bytes)} to ${files.join(", ")}.`);
    if (files.length > 1) console.error(`The first is an index of the others, which names them at ${root}.`);
  } catch (error) {
    // Whoever stopped it knows.
    if (stop.signal.aborted) return;
    if (error instanceof UserError) throw error;
    throw new UserError(`The export broke off: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  }
}

function outputOf({ format, out }: Flags, root: string): ExportOutput {
  if (out === undefined) return toStream(process.stdout);
  return format === "sitemap" ? toSitemaps(out, root) : toFile(out);
}

/** What has been written so far, shown where there is somebody to see it and nothing else on the screen. */
class Written {
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
