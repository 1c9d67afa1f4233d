import { Hono } from "hono";
import type { FC } from "hono/jsx";
import type { CrawlView, SearchView } from "../../api/views.ts";
import { callApi, callApiOrMessage } from "../call-api.ts";
import { Heading, Page, render } from "../layout.tsx";
import type { Console, PageContext } from "../page-context.ts";
import { Submit } from "../parts/controls.tsx";
import { inUtc, shortUrl } from "../parts/numbers.tsx";
import { Select } from "./record-filters.tsx";
import { SearchHits } from "./search-hits.tsx";

/** Full-text search over stored pages. */

export const searchPageRoutes = new Hono<Console>();

const PAGE_SIZE = 20;

const ORDERS = [
  { value: "relevance", text: "Best match first" },
  { value: "authority", text: "By links among the results" },
];

searchPageRoutes.get("/search", async (c) => {
  const q = c.req.query("q")?.trim() ?? "";
  const crawl = c.req.query("crawl") ?? "";
  const twins = c.req.query("twins") === "all" ? "all" : "group";
  const order = c.req.query("order") ?? "";
  const [crawls, found] = await Promise.all([
    callApi<CrawlView[]>(c, "GET", "/api/crawls"),
    q === "" ? null : search(c, { q, crawl, order, cursor: c.req.query("cursor") ?? "", twins }),
  ]);
  const searched = crawls.filter(({ id, options }) => options.search || id === crawl);
  return render(
    c,
    <Page title={q === "" ? "Search" : `${q} – search`} c={c} section="search" styles={["records.css"]}>
      <Heading title="Search" />
      {searched.length === 0 ? (
        <NoSearchableCrawls mayStart={c.get("access") === "all"} />
      ) : (
        <SearchForm crawls={searched} q={q} crawl={crawl} order={order} />
      )}
      {typeof found === "string" ? (
        <p class="notice problem" role="alert">
          {found}
        </p>
      ) : (
        found !== null &&
        searched.length > 0 && <SearchHits of={found} q={q} crawl={crawl} order={order} twins={twins} />
      )}
    </Page>,
  );
});

const NoSearchableCrawls: FC<{ mayStart: boolean }> = ({ mayStart }) => (
  <div class="panel empty">
    <h2>No searchable crawls yet</h2>
    <p>To search its pages, start a crawl with “Full-text search” (under Content).</p>
    {mayStart && (
      <a class="button" href="/crawls/new?search=on">
        Start a crawl with search
      </a>
    )}
  </div>
);

const SearchForm: FC<{ crawls: CrawlView[]; q: string; crawl: string; order: string }> = ({
  crawls,
  q,
  crawl,
  order,
}) => (
  <form class="filters search panel" method="get" action="/search">
    <div class="field text">
      <label for="q">Words in stored pages</label>
      <input id="q" name="q" type="search" value={q} required autofocus={q === ""} aria-describedby="q-help" />
    </div>
    <div class="field">
      <label for="crawl">Crawl</label>
      <select id="crawl" name="crawl">
        <option value="">All searchable crawls</option>
        {crawls.map(({ id, urls, createdAt }) => {
          const text = shortUrl(urls[0] ?? "");
          return (
            <option value={id} selected={id === crawl} data-at={createdAt} data-text={text}>
              {text}, {inUtc(createdAt)}
            </option>
          );
        })}
      </select>
    </div>
    <Select name="order" label="Order" value={order || undefined} choices={ORDERS} />
    <div class="field go">
      <Submit class="primary">Search</Submit>
    </div>
    <p class="help" id="q-help">
      Finds pages with all of the words, or else with any of them. <code>"a phrase"</code> matches exactly,{" "}
      <code>-word</code> excludes a word, <code>begin*</code> matches the beginning of a word. The order by links takes
      one crawl that was analyzed.
    </p>
  </form>
);

function search(c: PageContext, query: { q: string; crawl: string; order: string; cursor: string; twins: string }) {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  const search = new URLSearchParams({ ...Object.fromEntries(given), limit: String(PAGE_SIZE) });
  return callApiOrMessage<SearchView>(c, `/api/search?${search}`);
}
