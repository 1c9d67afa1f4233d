import type { SearchHit } from "../../crawl/page/search-hit.ts";
import { homeOf } from "../../frontier/ledgers.ts";
import type { FirecrawlDocument } from "../../notices/firecrawl-document.ts";
import { searchCrawls } from "../../reading/all-crawls.ts";
import { hostnameOf, hostOf } from "../../url/host-key.ts";
import { searchTerms } from "../analysis/search-routes.ts";
import { searchQuery } from "../analysis/search-schemas.ts";
import type { DocumentDeps, SearchDeps } from "./needs.ts";
import { openDocuments, readDocument, withMainContent } from "./read-document.ts";
import type { SearchRequest } from "./requests/firecrawl-requests.ts";
import type { WantedFormats } from "./requests/scrape-formats.ts";

/** Searches the pages of all crawls, in place of the web. */

type WebHit = { url: string; title: string; description: string; position: number } & Partial<FirecrawlDocument>;

/** Hits that are read where a filter may leave some out. */
const MOST = 100;
/** Hits that come with their pages: a request may make the missing formats of so few. */
const MOST_WITH_PAGE = 20;

export async function searchPages(request: SearchRequest, deps: SearchDeps): Promise<WebHit[]> {
  const { query, limit, includeDomains, excludeDomains, scrapeOptions } = request;
  const isFiltered = includeDomains.length + excludeDomains.length > 0;
  const { q } = searchQuery.parse({ q: query });
  const asked = { crawl: null, limit: isFiltered ? MOST : limit, offset: 0, allTwins: false };
  const { hits } = (await searchCrawls(searchTerms(q), asked, deps)).found;
  const isWanted = ({ url }: SearchHit) => {
    const isOn = (domain: string) => `.${hostnameOf(hostOf(url))}`.endsWith(`.${domain}`);
    return (includeDomains.length === 0 || includeDomains.some(isOn)) && !excludeDomains.some(isOn);
  };
  const wanted = hits.filter(isWanted).slice(0, limit);
  const found: WebHit[] = [];
  for (const [i, hit] of wanted.entries()) {
    const description = hit.snippet.map(({ text }) => text).join("");
    const page =
      scrapeOptions === undefined || i >= MOST_WITH_PAGE
        ? {}
        : await readHit(hit, scrapeOptions.formats, homeOf(deps, hit.crawl));
    found.push({ url: hit.url, title: hit.title ?? "", description, position: i + 1, ...page });
  }
  return found;
}

async function readHit(
  { crawl: id, url }: SearchHit,
  { formats, screenshot, rules }: WantedFormats,
  deps: DocumentDeps,
): Promise<Partial<FirecrawlDocument>> {
  const found = await deps.ledger.crawl(id);
  const record = found === null ? null : await deps.records.get(id, url);
  if (found === null || record === null) return {};
  const crawl = withMainContent(found);
  return readDocument(
    { crawl, record },
    formats,
    { screenshot: screenshot !== null, rules },
    await openDocuments(crawl, deps),
  );
}
