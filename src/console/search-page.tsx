import { Hono } from "hono";
import type { FC } from "hono/jsx";
import type { CrawlView, SearchView } from "../api/views.ts";
import { ApiProblem, callApi } from "./call-api.ts";
import { Heading, Page, render } from "./layout.tsx";
import { inUtc, shortUrl } from "./numbers.tsx";
import type { Console, PageContext } from "./page-context.ts";
import { Found } from "./search-hits.tsx";

/** Search over the text of what was kept. */

export const searchPageRoutes = new Hono<Console>();

const AT_A_TIME = 20;

searchPageRoutes.get("/search", async (c) => {
  const q = c.req.query("q")?.trim() ?? "";
  const crawl = c.req.query("crawl") ?? "";
  const [crawls, found] = await Promise.all([
    callApi<CrawlView[]>(c, "GET", "/api/crawls"),
    q === "" ? null : search(c, { q, crawl, cursor: c.req.query("cursor") ?? "" }),
  ]);
  const searched = crawls.filter(({ id, options }) => options.search || id === crawl);
  return render(
    c,
    <Page title={q === "" ? "Search" : `${q} – search`} c={c} section="search" styles={["records.css"]}>
      <Heading title="Search" />
      {searched.length === 0 ? (
        <NothingSearched mayStart={c.get("access") === "all"} />
      ) : (
        <SearchForm crawls={searched} q={q} crawl={crawl} />
      )}
      {typeof found === "string" ? (
        <p class="notice problem" role="alert">
          {found}
        </p>
      ) : (
        found !== null && searched.length > 0 && <Found of={found} q={q} crawl={crawl} />
      )}
    </Page>,
  );
});

const NothingSearched: FC<{ mayStart: boolean }> = ({ mayStart }) => (
  <div class="panel empty">
    <h2>No crawl to search in yet</h2>
    <p>Pages can be found by their words where their crawl was started with “Full-text search”, under Content.</p>
    {mayStart && (
      <a class="button" href="/crawls/new?search=on">
        Start one with search
      </a>
    )}
  </div>
);

const SearchForm: FC<{ crawls: CrawlView[]; q: string; crawl: string }> = ({ crawls, q, crawl }) => (
  <form class="filters search panel" method="get" action="/search">
    <div class="field text">
      <label for="q">Words in what was kept</label>
      <input id="q" name="q" type="search" value={q} required autofocus={q === ""} aria-describedby="q-help" />
    </div>
    <div class="field">
      <label for="crawl">Crawl</label>
      <select id="crawl" name="crawl">
        <option value="">All that have search</option>
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
    <div class="field go">
      <button class="button primary" type="submit">
        Search
      </button>
    </div>
    <p class="help" id="q-help">
      All of them have to be there. <code>"a phrase"</code> stands as it is written, <code>-word</code> must not be
      there, <code>begin*</code> is any word that begins so.
    </p>
  </form>
);

/** A sentence where the API refused it. */
async function search(c: PageContext, asked: { q: string; crawl: string; cursor: string }) {
  const given = Object.entries(asked).filter(([, value]) => value !== "");
  const query = new URLSearchParams([...given, ["limit", String(AT_A_TIME)]] as [string, string][]);
  try {
    return await callApi<SearchView>(c, "GET", `/api/search?${query}`);
  } catch (error) {
    if (error instanceof ApiProblem && (error.status === 404 || error.status === 400)) return error.message;
    throw error;
  }
}
