import { Hono } from "hono";
import type { CrawlView } from "../api/views.ts";
import { ApiProblem, callApi } from "./call-api.ts";
import { Heading, Page, render } from "./layout.tsx";
import { shortUrl } from "./numbers.tsx";
import type { Console, PageContext } from "./page-context.ts";
import { Found, type Hits } from "./search-hits.tsx";

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
  return render(
    c,
    <Page title={q === "" ? "Search" : `${q} – search`} c={c} section="search" styles={["records.css"]}>
      <Heading title="Search" />
      <form class="filters search panel" method="get" action="/search">
        <div class="field text">
          <label for="q">Words in what was kept</label>
          <input id="q" name="q" type="search" value={q} required />
        </div>
        <div class="field">
          <label for="crawl">Crawl</label>
          <select id="crawl" name="crawl">
            <option value="">All</option>
            {crawls.map(({ id, urls, createdAt }) => (
              <option value={id} selected={id === crawl}>
                {shortUrl(urls[0] ?? "")}, {createdAt.slice(0, 10)}
              </option>
            ))}
          </select>
        </div>
        <div class="field go">
          <button class="button primary" type="submit">
            Search
          </button>
        </div>
      </form>
      {found === null ? (
        <p class="muted centred">
          Only crawls that were started with “Put the text of each page into the full-text index” are searched.
        </p>
      ) : typeof found === "string" ? (
        <p class="notice" role="status">
          {found}
        </p>
      ) : (
        <Found of={found} q={q} crawl={crawl} />
      )}
    </Page>,
  );
});

/** What the API refused, in its words; where it has no search at all, in ours. */
async function search(c: PageContext, asked: { q: string; crawl: string; cursor: string }): Promise<Hits | string> {
  const given = Object.entries(asked).filter(([, value]) => value !== "");
  const query = new URLSearchParams([...given, ["limit", String(AT_A_TIME)]] as [string, string][]);
  try {
    return await callApi<Hits>(c, "GET", `/api/search?${query}`);
  } catch (error) {
    if (!(error instanceof ApiProblem) || (error.status !== 404 && error.status !== 400)) throw error;
    return error.message.includes("/api/search")
      ? "This installation has no full-text index, so there is nothing to search in."
      : error.message;
  }
}
