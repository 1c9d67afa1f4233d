import { Hono } from "hono";
import type { FC } from "hono/jsx";
import { MOST_LISTED } from "../../api/crawls/crawl-schemas.ts";
import type { CrawlView, Health } from "../../api/views.ts";
import { count } from "../../core/shown-values.ts";
import { callApi } from "../call-api.ts";
import { Heading, Page, render, Stale } from "../layout.tsx";
import { SeedForm } from "../new-crawl/new-crawl-form.tsx";
import type { Console } from "../page-context.ts";
import { Submit } from "../parts/controls.tsx";
import { money, sentence, Time } from "../parts/numbers.tsx";
import { CrawlTable } from "./crawl-table.tsx";

/** The crawls, newest first. */

export const crawlListRoutes = new Hono<Console>();

/** The list is the first page people see and refreshes every few seconds, so it stays small. */
const PAGE_SIZE = 50;
const EVERY_S = { running: "2", resting: "10" };

crawlListRoutes.get("/crawls", async (c) => {
  const all = c.req.query("all") === "true";
  const [crawls, { bill, database, ledgers, maxCostUsd, identity }] = await Promise.all([
    callApi<CrawlView[]>(c, "GET", `/api/crawls${all ? "?all=true" : ""}`),
    callApi<Health>(c, "GET", "/api/health"),
  ]);
  const mayStart = c.get("access") === "all";
  const from = Math.max(0, Number.parseInt(c.req.query("from") ?? "0", 10) || 0);
  const q = c.req.query("q")?.trim() ?? "";
  const matching = q === "" ? crawls : crawls.filter((crawl) => isMatch(crawl, q));
  const shown = matching.slice(from, from + PAGE_SIZE);
  // The last crawl of this page was deleted.
  if (from > 0 && shown.length === 0) return c.redirect(listAddress({ q: "", all }), 303);
  const isMoving = shown.some(({ status }) => status === "running");
  const deleted = c.req.query("deleted");
  return render(
    c,
    <Page title="Crawls" c={c} section="crawls" scripts={["live.js"]}>
      <Heading title="Crawls">
        {mayStart && crawls.length > 0 && (
          <a class="button primary" href="/crawls/new">
            New crawl
          </a>
        )}
      </Heading>
      {deleted !== undefined && (
        <p class="notice" role="status">
          {deleted === "soon"
            ? "The crawl was deleted. Its stored pages are removed once its last requests have ended."
            : "The crawl was deleted with all its stored pages."}
        </p>
      )}
      <Stale />
      {crawls.length > 0 && <FindForm q={q} all={all} />}
      <div id="crawls" data-live data-every={isMoving ? EVERY_S.running : EVERY_S.resting}>
        {crawls.length === 0 ? (
          <NoCrawls mayStart={mayStart} />
        ) : shown.length > 0 ? (
          <CrawlTable crawls={shown} />
        ) : (
          <p class="notice">No listed crawl matches “{q}”.</p>
        )}
        <ListPages from={from} matching={matching.length} listed={crawls.length} q={q} all={all} />
      </div>
      <p class="muted small">
        <a id="all" href={listAddress({ q, all: !all })}>
          {all ? "Hide scrapes and maps" : "Show scrapes and maps too"}
        </a>
      </p>
      {database.advice !== null && (
        <p class="notice" id="database-advice" role="status">
          {sentence(database.advice)}
        </p>
      )}
      <p class="muted small" id="database">
        {ledgers.length > 1 ? <Ledgers ledgers={ledgers} /> : `Database: ${database.text}.`}
      </p>
      {bill !== null && (
        <p class="muted small">
          Reading, schedules and heartbeats: {money(bill.costUsd)} since <Time at={bill.since} />, at Cloudflare's list
          prices.
        </p>
      )}
      {maxCostUsd !== null && (
        <p class="muted small">A crawl without a cost limit of its own pauses at {money(maxCostUsd)}.</p>
      )}
      {identity !== null && (
        <p class="muted small">
          Requests are signed as {identity.address}: <a href="/about-this-crawler">about this crawler</a>.
        </p>
      )}
    </Page>,
  );
});

/** Those that do not answer first: their crawls are missing from the list. */
function Ledgers({ ledgers }: Pick<Health, "ledgers">) {
  const silent = ledgers.filter(({ answers }) => !answers).map(({ name }) => name);
  const full = ledgers.flatMap(({ name, database }) => (database === null ? [] : `${name}: ${database.text}`));
  return (
    <>
      {silent.length > 0 && (
        <strong id="silent-ledgers">{silent.join(", ")} does not answer, so its crawls are not listed. </strong>
      )}
      {`Ledgers: ${full.join("; ")}.`}
    </>
  );
}

/** Whether a seed, the id or the status of a crawl contains the text. */
function isMatch({ id, urls, status }: CrawlView, q: string): boolean {
  const text = q.toLowerCase();
  return [id, status.replaceAll("_", " "), ...urls].some((value) => value.toLowerCase().includes(text));
}

interface ListQuery {
  q: string;
  /** Whether scrapes and maps are listed too, each of which is a crawl of its own. */
  all: boolean;
}

function listAddress({ q, all, from = 0 }: ListQuery & { from?: number }): string {
  const query = new URLSearchParams({
    ...(q === "" ? {} : { q }),
    ...(all ? { all: "true" } : {}),
    ...(from > 0 ? { from: String(from) } : {}),
  });
  return query.size === 0 ? "/crawls" : `/crawls?${query}`;
}

const FindForm: FC<ListQuery> = ({ q, all }) => (
  <form class="find" method="get" action="/crawls">
    {all && <input type="hidden" name="all" value="true" />}
    <label class="visually-hidden" for="find">
      Find a crawl by its seed, id or status
    </label>
    <input
      id="find"
      name="q"
      type="search"
      value={q}
      placeholder="Seed, id or status"
      autocapitalize="none"
      spellcheck={false}
    />
    <Submit>Find</Submit>
    {q !== "" && (
      <a class="button" href={listAddress({ q: "", all })}>
        Clear
      </a>
    )}
  </form>
);

interface ListPagesProps extends ListQuery {
  from: number;
  /** The number of crawls that match the search, and of all that are listed. */
  matching: number;
  listed: number;
}

const ListPages: FC<ListPagesProps> = ({ from, matching, listed, q, all }) => {
  const address = (start: number) => listAddress({ q, all, from: start });
  const isLast = from + PAGE_SIZE >= matching;
  return (
    <>
      {(from > 0 || !isLast) && (
        <p class="pages">
          {from > 0 && <a href={address(from - PAGE_SIZE)}>Newer crawls</a>}
          {!isLast && <a href={address(from + PAGE_SIZE)}>Older crawls</a>}
        </p>
      )}
      {listed >= MOST_LISTED && isLast && (
        <p class="muted small">Only the newest {count(MOST_LISTED)} are listed. Older crawls open by their address.</p>
      )}
    </>
  );
};

const NoCrawls: FC<{ mayStart: boolean }> = ({ mayStart }) => (
  <div class="panel empty">
    <h2>No crawls yet</h2>
    {mayStart ? (
      <>
        <p>Enter a URL. Orbweaver crawls this page and what it links to on the same host, politely, page by page.</p>
        <SeedForm />
      </>
    ) : (
      <p>New crawls appear here.</p>
    )}
  </div>
);
