import type { CrawlView } from "../../api/views.ts";
import { listDefaults } from "../../crawl/lists/list-defaults.ts";
import { startList } from "../../crawl/lists/send-list.ts";
import { OPTION_ROWS, setAt } from "../../crawl/options/option-table.ts";
import { withScheme } from "../../url/with-scheme.ts";
import { sessionOfCrawl } from "../flags/session-flags.ts";
import type { Installation } from "../installation/installation.ts";
import { invalidOption } from "./library-error.ts";
import type { CrawlOptions } from "./library-types.ts";

/** Starts the crawl of a run, or goes on with one. */

/** Options that are not the API's. */
const OWN = ["state", "remote", "token", "insecureHttp", "signal", "records", "resume", "cookieFile"] as const;

/** Seeds of one request. More are sent as a list. */
const MAX_SEEDS = 1_000;

/** The body of `POST /api/crawls`. Throws OrbweaverError for an option that the API would not refuse. */
export function toRequest(urls: string | readonly string[], options: CrawlOptions): Record<string, unknown> {
  const seeds = (typeof urls === "string" ? [urls] : [...urls]).map((url) => withScheme(String(url)));
  if (seeds.length === 0) throw invalidOption("urls", "name a URL to crawl");
  const { records = "pages", resume, signal, state, remote } = options;
  if (records !== "pages" && records !== "all") throw invalidOption("records", "it is pages or all");
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw invalidOption("signal", "it is no AbortSignal");
  if (resume && state === undefined && remote === undefined)
    throw invalidOption("resume", "a temporary crawl cannot be resumed: give state or remote too");
  if ("watch" in options && options.watch != null)
    throw invalidOption("watch", "a watch does not end; start it with `orbweaver watch`, and read its changes");
  const request: Record<string, unknown> = {};
  for (const [path, { suggested }] of OPTION_ROWS) if (suggested !== undefined) setAt(request, path, suggested);
  if (seeds.length > MAX_SEEDS && resume === true)
    throw invalidOption("resume", `with more than ${MAX_SEEDS} seeds, give the id of the crawl`);
  const implied = seeds.length > MAX_SEEDS ? listDefaults(seeds.length, options) : {};
  Object.assign(request, { formats: ["markdown"] }, implied, withoutAbsent(options), { urls: seeds });
  for (const name of OWN) delete request[name];
  return request;
}

function withoutAbsent(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** The id of the crawl. */
export async function startRun(
  request: Record<string, unknown>,
  { resume = false, cookieFile }: Pick<CrawlOptions, "resume" | "cookieFile">,
  { client }: Pick<Installation, "client">,
): Promise<string> {
  const known =
    typeof resume === "string" ? await client.crawl(resume) : resume ? findOpen(request, await client.crawls()) : null;
  if (known === null) return startSeeds(await withCookies(request, cookieFile, client), client);
  // What has ended is read again.
  if (isOpen(known)) await client.act(known.id, "resume");
  return known.id;
}

/** The request with a session of the cookies of a file, for this crawl alone. Throws UserError. */
async function withCookies(
  request: Record<string, unknown>,
  cookieFile: string | undefined,
  client: Installation["client"],
): Promise<Record<string, unknown>> {
  if (cookieFile === undefined) return request;
  const { urls, session } = request;
  return { ...request, ...(await sessionOfCrawl(urls as string[], { cookieFile, session }, client, () => undefined)) };
}

/** Throws OrbweaverError for a seed that cannot be crawled, as for each of a few. */
async function startSeeds(request: Record<string, unknown>, client: Installation["client"]): Promise<string> {
  const { urls, ...rest } = request;
  const seeds = urls as string[];
  if (seeds.length <= MAX_SEEDS) return (await client.start(request)).id;
  const list = seeds.map((url, i) => ({ url, place: `urls.${i}` }));
  const { id, refused } = await startList(rest, list, client, { isWhole: true });
  const [first] = refused;
  if (first === undefined) return id;
  await client.act(id, "cancel");
  throw invalidOption(first.place, first.why);
}

function isOpen({ status }: Pick<CrawlView, "status">): boolean {
  return status === "running" || status === "paused";
}

/** The newest crawl of these seeds that has not ended; null if there is none. */
function findOpen({ urls }: Record<string, unknown>, crawls: readonly CrawlView[]): CrawlView | null {
  const seeds = keyOf(urls as string[]);
  return crawls.find((crawl) => isOpen(crawl) && keyOf(crawl.urls) === seeds) ?? null;
}

function keyOf(urls: readonly string[]): string {
  const written = urls.map((url) => URL.parse(url)?.href.replace(/#.*/s, "") ?? url);
  return [...new Set(written)].sort().join(" ");
}
