import { Hono } from "hono";
import type { FC } from "hono/jsx";
import { changePath } from "../../api/changes/change-page.ts";
import type { CrawlView, FeedView, NewestChange, NewestView } from "../../api/views.ts";
import { apiPath, callApi, callApiOrMessage } from "../call-api.ts";
import { CrawlHeading } from "../crawl/crawl-heading.tsx";
import { Page, render } from "../layout.tsx";
import type { Console } from "../page-context.ts";
import { recordAddress, replayAddress } from "../parts/addresses.ts";
import { Submit } from "../parts/controls.tsx";
import { sentence, shortUrl, Time } from "../parts/numbers.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Select } from "../records/record-filters.tsx";

/** What a watch noticed, the newest first, and the addresses of its feeds. */

export const changesPageRoutes = new Hono<Console>();

const PAGE_SIZE = 100;
const KINDS = [
  { value: "added", text: "Added" },
  { value: "changed", text: "Changed" },
  { value: "moved", text: "Moved" },
  { value: "removed", text: "Removed" },
  { value: "restored", text: "Restored" },
];

changesPageRoutes.get("/crawls/:id/changes", async (c) => {
  const at = apiPath(c);
  const kind = c.req.query("kind") || undefined;
  const before = c.req.query("before") || undefined;
  const query = new URLSearchParams({ ...given({ kind, before }), limit: String(PAGE_SIZE) });
  const [crawl, feed, found] = await Promise.all([
    callApi<CrawlView>(c, "GET", at),
    callApi<FeedView>(c, "GET", `${at}/feed`),
    callApiOrMessage<NewestView>(c, `${at}/newest-changes?${query}`),
  ]);
  const problem = typeof found === "string" ? found : null;
  const { changes, hasMore } = typeof found === "string" ? { changes: [], hasMore: false } : found;
  const last = changes.at(-1);
  return render(
    c,
    <Page title="Changes" c={c} section="crawls" scripts={["more.js"]} styles={["records.css", "changes.css"]}>
      <CrawlHeading crawl={crawl} tab="changes" />
      <form class="filters panel" method="get" action={`/crawls/${crawl.id}/changes`}>
        <Select name="kind" label="Kind of change" value={kind} all="Any" choices={KINDS} />
        <div class="field go">
          <Submit class="primary">Apply</Submit>
          {kind !== undefined && (
            <a class="button" href={address(crawl, {})}>
              Clear
            </a>
          )}
        </div>
      </form>
      {problem !== null && (
        <p class="notice problem" role="alert">
          {problem}
        </p>
      )}
      {before !== undefined && (
        <p class="back">
          <a href={address(crawl, { kind })}>Back to the newest changes</a>
        </p>
      )}
      {changes.length === 0 ? (
        problem === null && <NoChanges crawl={crawl} isFiltered={kind !== undefined} />
      ) : (
        <div class="panel flush" id="parts">
          <div class="part">
            <Table class="rows" caption="Changes" columns={columnsOf(crawl)} rows={changes} />
          </div>
        </div>
      )}
      <p class="visually-hidden" role="status" id="announcement" />
      {hasMore && last !== undefined && (
        <p class="centred-button" id="more">
          <a class="button" href={address(crawl, { kind, before: String(last.seq) })} data-more>
            Load more
          </a>
        </p>
      )}
      <Feeds crawl={crawl} feed={feed} mayAct={c.get("access") === "all"} />
    </Page>,
    problem === null ? 200 : 400,
  );
});

/** Makes the feed addresses, or replaces them. */
changesPageRoutes.post("/crawls/:id/feed", async (c) => {
  await callApi<FeedView>(c, "POST", `${apiPath(c)}/feed`);
  return c.redirect(`/crawls/${encodeURIComponent(c.req.param("id"))}/changes#feeds`, 303);
});

type Filters = Partial<Record<"kind" | "before", string | undefined>>;

function given(filters: Filters): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function address({ id }: CrawlView, filters: Filters): string {
  const query = new URLSearchParams(given(filters)).toString();
  return `/crawls/${id}/changes${query === "" ? "" : `?${query}`}`;
}

function columnsOf({ id }: CrawlView): Column<NewestChange>[] {
  return [
    {
      text: "Page",
      cell: ({ url, title, at }) => (
        <>
          <a class="title" href={recordAddress(id, url)}>
            {title || shortUrl(url)}
          </a>
          {title && <span class="address muted small">{shortUrl(url)}</span>}
          <p class="narrowest muted small">
            <Time at={at} />
          </p>
        </>
      ),
    },
    {
      text: "Change",
      class: "of-change",
      cell: (change) => (
        <>
          {sentence(change.kind)}
          {change.detail !== null && <span class="why muted small">{sentence(change.detail)}</span>}
          <Links id={id} change={change} />
        </>
      ),
    },
    { text: "Noticed", class: "of-fetched mid", cell: ({ at }) => <Time at={at} /> },
  ];
}

/** The difference of a page that changed, and the stored page of one that is there. */
const Links: FC<{ id: string; change: NewestChange }> = ({ id, change }) => {
  const { kind, url } = change;
  if (kind === "removed") return null;
  const page = <span class="visually-hidden"> of {shortUrl(url)}</span>;
  return (
    <span class="why small">
      {kind === "changed" && <a href={changePath(id, change)}>Difference{page}</a>}
      {kind === "changed" && " · "}
      <a href={replayAddress(id, url)}>Replay{page}</a>
    </span>
  );
};

const NoChanges: FC<{ crawl: CrawlView; isFiltered: boolean }> = ({ crawl: { watching }, isFiltered }) => (
  <div class="panel empty">
    <h2>{isFiltered ? "No such changes" : "No changes yet"}</h2>
    <p>
      {watching === null
        ? "This crawl is no watch, so its pages are not visited again."
        : watching.since === null
          ? "The first crawl has not ended. What changes after it is shown here."
          : "Nothing has changed since the first crawl."}
    </p>
  </div>
);

const Feeds: FC<{ crawl: CrawlView; feed: FeedView; mayAct: boolean }> = ({ crawl: { id }, feed, mayAct }) => (
  <section class="panel" id="feeds">
    <h2>Feeds</h2>
    {feed.atom === null || feed.json === null ? (
      <p>Feed readers show the changes of this watch. A feed has an address of its own, which needs no token.</p>
    ) : (
      <>
        <ul class="records">
          <FeedLine text="Atom" href={feed.atom} />
          <FeedLine text="JSON Feed" href={feed.json} />
        </ul>
        <p class="muted small after">
          Whoever has an address can read the changes of this watch, and nothing else. New addresses revoke these.
        </p>
      </>
    )}
    {mayAct && (
      <form class="after" method="post" action={`/crawls/${id}/feed`}>
        <Submit>{feed.atom === null ? "Make feed addresses" : "Replace the addresses"}</Submit>
      </form>
    )}
  </section>
);

const FeedLine: FC<{ text: string; href: string }> = ({ text, href }) => (
  <li>
    <p>{text}</p>
    <p class="small">
      <a class="url" href={href}>
        {href}
      </a>
    </p>
  </li>
);
