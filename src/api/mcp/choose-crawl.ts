import type { CrawlView, VersionsView } from "../views.ts";
import { type Api, getIfThere } from "./ask-api.ts";
import { describeSeeds } from "./describe.ts";
import { countOf, joinOwn, own, word } from "./own-words.ts";
import { ToolProblem } from "./tool.ts";

/** Finds the crawl that a tool is about: by `latest`, by a site, or by itself where the caller names none. */

/** Crawls that are looked at, the newest first. */
const LOOKED_AT = "50";
/** Versions that are looked at. More than these without a page are rare. */
const VERSIONS_LOOKED_AT = "20";
const MAX_OFFERED = 10;

/**
 * `fits`: the crawls that count, if the caller names none or `latest`. Throws ToolProblem with what to do instead.
 */
export async function chooseCrawl(
  given: string | undefined,
  api: Api,
  fits: (crawl: CrawlView) => boolean = () => true,
): Promise<string> {
  if (given !== undefined && isId(given)) return given;
  const crawls = await listCrawls(api);
  const site = given === undefined || isLatest(given) ? null : given;
  const found = site === null ? (crawls.find(fits) ?? crawls[0]) : crawls.find((crawl) => isOfSite(crawl, site));
  if (found !== undefined) return found.id;
  if (crawls.length === 0)
    throw new ToolProblem({ head: own`There are no crawls yet. \`crawl\` starts one, if the user wants that.` });
  throw askWhich(own`No crawl fits.`, crawls, given);
}

/** For a tool that changes a crawl: one that nobody named is not guessed. */
export async function chooseNamedCrawl(given: string | undefined, api: Api): Promise<string> {
  if (given !== undefined) return chooseCrawl(given, api);
  throw askWhich(own`Which crawl? Send its id as \`crawl\`; ask the user if in doubt.`, await listCrawls(api));
}

/** The newest crawl that stores a page for the URL, unless the caller names one. */
export async function chooseCrawlWithPage(given: string | undefined, url: string, api: Api): Promise<string> {
  if (given !== undefined) return chooseCrawl(given, api);
  const { versions } = await api.get<VersionsView>("/api/versions", { url, limit: VERSIONS_LOOKED_AT });
  const stored = versions.find(({ status, bytes }) => status === "completed" && bytes !== null);
  if (stored !== undefined) return stored.crawl;
  const redirect = versions.find(({ redirectTo }) => redirectTo !== null)?.redirectTo;
  throw new ToolProblem(
    redirect == null
      ? {
          head: own`No crawl here stores a page for this URL. Find pages by \`search\` or \`records\`, or ask \`explain\` why it is missing.`,
          quoted: url,
        }
      : { head: own`This URL redirects: ask for the one that follows.`, quoted: `${url} redirects to ${redirect}` },
  );
}

/** The newest crawl that knows the URL, or else the newest of its site, unless the caller names one. */
export async function chooseCrawlOfUrl(given: string | undefined, url: string, api: Api): Promise<string> {
  if (given !== undefined) return chooseCrawl(given, api);
  const known = await getIfThere<VersionsView>(api, "/api/versions", { url, limit: "1" });
  return known?.versions[0]?.crawl ?? chooseCrawl(undefined, api, (crawl) => isOfSite(crawl, url));
}

async function listCrawls(api: Api): Promise<CrawlView[]> {
  return (await api.list<CrawlView[]>("/api/crawls", { limit: LOOKED_AT })).result;
}

function isLatest(given: string): boolean {
  return /^(?:latest|newest|last)$/i.test(given.trim());
}

/** An id, or its beginning. Anything else of a URL is no id. */
function isId(given: string): boolean {
  return !isLatest(given) && !/[./:]/.test(given);
}

/** Whether a seed is on this host, or has this address. */
function isOfSite({ urls }: CrawlView, site: string): boolean {
  const host = hostOf(site);
  return host !== "" && urls.some((url) => hostOf(url) === host);
}

function hostOf(url: string): string {
  const address = url.includes("://") ? url : `https://${url}`;
  return URL.canParse(address) ? new URL(address).host.replace(/^www\./, "") : "";
}

function askWhich(head: ReturnType<typeof own>, crawls: readonly CrawlView[], given?: string): ToolProblem {
  if (crawls.length === 0) return new ToolProblem({ head: own`There are no crawls yet.` });
  const offered = crawls.slice(0, MAX_OFFERED);
  const lines = offered.map(({ id, status, urls }) => `${id} ${status}: ${describeSeeds(urls)}`);
  return new ToolProblem({
    head: joinOwn(
      [
        head,
        own`${countOf(offered.length, own`crawl`)}, the newest first (\`latest\` is ${word(offered[0]?.id ?? "")}):`,
      ],
      " ",
    ),
    quoted: [...(given === undefined ? [] : [`Asked for: ${given}`]), ...lines].join("\n"),
  });
}
