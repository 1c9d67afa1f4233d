import { Hono } from "hono";
import type { FC } from "hono/jsx";
import type { CrawlView } from "../api/views.ts";
import { recordAddress } from "./addresses.ts";
import { ApiProblem, callApi } from "./call-api.ts";
import { Heading, Page, render } from "./layout.tsx";
import { count, shortUrl, Time } from "./numbers.tsx";
import type { Console, PageContext } from "./page-context.ts";

/** Search over the text of what was kept. */

export const searchPageRoutes = new Hono<Console>();

const AT_A_TIME = 20;

interface Hit {
  crawl: string;
  url: string;
  title: string | null;
  /** Of the text around what was found, in order; what was found itself is marked. */
  snippet: (string | { text: string; match?: boolean; hit?: boolean })[];
  fetchedAt: string | null;
}

type Hits = { hits: Hit[]; cursor: string | null };

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

/** A sentence where there is nothing to search in. */
async function search(c: PageContext, asked: { q: string; crawl: string; cursor: string }): Promise<Hits | string> {
  const given = Object.entries(asked).filter(([, value]) => value !== "");
  const query = new URLSearchParams([...given, ["limit", String(AT_A_TIME)]] as [string, string][]);
  try {
    return await callApi<Hits>(c, "GET", `/api/search?${query}`);
  } catch (error) {
    if (!(error instanceof ApiProblem) || (error.status !== 404 && error.status !== 400)) throw error;
    return error.status === 404
      ? "This installation has no full-text index yet, so there is nothing to search in."
      : error.message;
  }
}

const Found: FC<{ of: Hits; q: string; crawl: string }> = ({ of: { hits, cursor }, q, crawl }) => {
  if (hits.length === 0)
    return (
      <div class="panel empty">
        <h2>Nothing was found</h2>
        <p>Fewer words find more. Only crawls that were started with a full-text index are searched.</p>
      </div>
    );
  const next = new URLSearchParams({ q, ...(crawl === "" ? {} : { crawl }), cursor: cursor ?? "" });
  return (
    <>
      <ol class="hits">
        {hits.map((hit) => (
          <li class="panel">
            <h2>
              <a href={recordAddress(hit.crawl, hit.url)}>{hit.title || shortUrl(hit.url)}</a>
            </h2>
            <p class="muted small url">{shortUrl(hit.url)}</p>
            <p class="snippet">
              {hit.snippet.map((piece) => (isMatch(piece) ? <mark>{textOf(piece)}</mark> : textOf(piece)))}
            </p>
            <p class="muted small">
              <Time at={hit.fetchedAt} />
            </p>
          </li>
        ))}
      </ol>
      {cursor !== null && (
        <p class="centred-button">
          <a class="button" href={`/search?${next}`}>
            The next {count(AT_A_TIME)}
          </a>
        </p>
      )}
    </>
  );
};

const textOf = (piece: Hit["snippet"][number]) => (typeof piece === "string" ? piece : piece.text);
const isMatch = (piece: Hit["snippet"][number]) => typeof piece !== "string" && (piece.match ?? piece.hit ?? false);
