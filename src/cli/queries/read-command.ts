import { type Command, Option } from "commander";
import type { CrawlDetail, FormattedRecordView } from "../../api/views.ts";
import { withScheme } from "../../url/with-scheme.ts";
import { browserFor, checkBrowser } from "../control/crawl-command.ts";
import { deleteAll } from "../control/delete-command.ts";
import { UserError } from "../errors.ts";
import { type CrawlFlags, pickOptions, toRequest } from "../flags/crawl-flags.ts";
import { explainFields } from "../flags/fields-file.ts";
import { type InsecureFlags, insecureHosts, insecureOption } from "../flags/insecure-hosts.ts";
import { cookieFileOption, type SessionFlags, sessionOfCrawl } from "../flags/session-flags.ts";
import { whereOptions } from "../flags/shared-options.ts";
import { type Installation, type WhereOptions, withInstallation } from "../installation/installation.ts";
import { whereToRead } from "../installation/reading-state.ts";
import { follow, listenForStop } from "../output/follow.ts";
import { quietProgress } from "../output/progress.ts";
import { LOG_IN, UNAUTHORIZED } from "../output/summary.ts";

/** `orbweaver read`: prints one page, and keeps nothing. It is a crawl of this page alone, which is deleted. */

const FORMATS = ["markdown", "text", "html", "json", "links", "fields", "raw"] as const;
type Format = (typeof FORMATS)[number];

interface Flags extends WhereOptions, CrawlFlags, InsecureFlags, SessionFlags {
  session?: string;
  format: Format;
}

/** A page and what it redirects to. */
const MAX_RECORDS = 20;

export function addReadCommand(program: Command): void {
  const command = program
    .command("read")
    .description("Print one page as clean Markdown, or in another format. Nothing is kept.")
    .argument("<url>", "the page: HTML, PDF, Office, EPUB, a feed, CSV, JSON or XML")
    .addOption(new Option("--format <format>", "what to print").choices(FORMATS).default("markdown"));
  pickOptions(command, [
    "render",
    "renderOptions.waitFor",
    "headers",
    "session",
    "signedIn",
    "userAgent",
    "timeoutMs",
    "fields",
  ]);
  command.addHelpText(
    "after",
    "\nrobots.txt and the host's pace are kept, as in a crawl. `links` prints a URL a line, `fields` and `json` print JSON,\n`raw` what the server sent.\n\nExit code 1: the page could not be read.",
  );
  whereOptions(insecureOption(cookieFileOption(command))).action(async (url: string, given: Flags) => {
    const flags = whereToRead(given);
    if (flags.format === "fields" && flags.fields === undefined)
      throw new UserError("--format fields needs rules: --fields FILE (docs/fields.md).", 2);
    // Standard output is the page alone.
    const noted = { ...flags, json: true };
    await withInstallation(
      flags,
      async (at) => {
        checkBrowser(at, noted);
        process.stdout.write(await readOnce(url, flags, at));
      },
      { ...browserFor(noted), ...insecureHosts(flags) },
    );
  });
}

/** What is printed. Throws UserError if the page could not be read. */
async function readOnce(url: string, flags: Flags, at: Installation): Promise<string | Uint8Array> {
  const { client } = at;
  const request = toRequest([url], { ...flags, limit: 1, depth: 0 });
  const session = await sessionOfCrawl([url], flags, client, (line) => console.error(line));
  const { id } = await client.start({ ...request, ...session, source: "links" }).catch(explainFields(flags.fields));
  const stop = listenForStop();
  try {
    const { crawl } = await follow(id, at, quietProgress(process.stderr), stop.signal, flags);
    const page = await pageOf(crawl, withScheme(url), flags.format, at);
    return flags.format === "raw" ? await bodyOf(id, page, at) : write(page, flags.format);
  } finally {
    stop.end();
    await deleteAll(id, true, false, client);
  }
}

/** Throws UserError if there is none. */
async function pageOf(
  crawl: CrawlDetail,
  url: string,
  format: Format,
  { client }: Installation,
): Promise<FormattedRecordView> {
  const records: FormattedRecordView[] = [];
  const formats = format === "fields" || format === "raw" ? [] : [format];
  for await (const record of client.records(crawl.id, { formats, limit: MAX_RECORDS })) records.push(record);
  const page = records.find(({ status }) => status === "completed");
  if (page !== undefined) return page;
  const last = records.find(({ reason }) => reason !== "redirected") ?? records[0];
  const why = last?.explanation ?? (crawl.status === "paused" ? "stopped" : crawl.status);
  const advice = last?.httpStatus === UNAUTHORIZED ? `\n${LOG_IN}` : "";
  throw new UserError(`${last?.url ?? url} was not read: ${why}${/[.?!]$/.test(why) ? "" : "."}${advice}`);
}

function write(page: FormattedRecordView, format: Exclude<Format, "raw">): string {
  const texts = {
    fields: () => JSON.stringify(page.fields ?? {}, null, 2),
    links: () => (page.links ?? []).map(({ url }) => url).join("\n"),
    json: () => JSON.stringify(page.json, null, 2),
    markdown: () => page.markdown ?? "",
    text: () => page.text ?? "",
    html: () => page.html ?? "",
  };
  const text = texts[format]();
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** A terminal would show the bytes of a picture or an archive as noise, or obey them. */
async function bodyOf(id: string, { url }: FormattedRecordView, { client }: Installation): Promise<Uint8Array> {
  const body = await client.page(id, url);
  if (process.stdout.isTTY && body.includes(0))
    throw new UserError(`${url} is no text. Send it to a file: orbweaver read ${url} --format raw > FILE`);
  return body;
}
