import { Hono } from "hono";
import type { FC } from "hono/jsx";
import { changePath } from "../../api/changes/change-page.ts";
import type { CrawlView, MonthView } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import { apiPath, callApi } from "../call-api.ts";
import { CrawlHeading } from "../crawl/crawl-heading.tsx";
import { Page, render } from "../layout.tsx";
import type { Console } from "../page-context.ts";
import { recordAddress } from "../parts/addresses.ts";
import { BarChart } from "../parts/bar-chart.tsx";
import { sentence, shortUrl, Time } from "../parts/numbers.tsx";
import { Table } from "../parts/table.tsx";
import { HeldBack } from "./held-back.tsx";

/** Thirty days of a watch: what changed, what is in trouble, and what was held back and why. */

export const monthPageRoutes = new Hono<Console>();

monthPageRoutes.get("/crawls/:id/month", async (c) => {
  const at = apiPath(c);
  const [crawl, month] = await Promise.all([
    callApi<CrawlView>(c, "GET", at),
    callApi<MonthView>(c, "GET", `${at}/month`),
  ]);
  return render(
    c,
    <Page title="Thirty days" c={c} section="crawls" styles={["records.css", "changes.css"]}>
      <CrawlHeading crawl={crawl} tab="month" />
      <Changes id={crawl.id} month={month} />
      <Troubles id={crawl.id} month={month} />
      <HeldBack id={crawl.id} month={month} />
    </Page>,
  );
});

interface MonthProps {
  id: string;
  month: MonthView;
}

const Changes: FC<MonthProps> = ({ id, month: { days, pages, changedPages } }) => {
  const bars = days.map(({ day, changes }) => ({
    label: day,
    value: Object.values(changes).reduce((sum, n) => sum + n, 0),
  }));
  const all = bars.reduce((sum, { value }) => sum + value, 0);
  return (
    <>
      <section class="panel">
        <BarChart
          title="What changed"
          note={`${plural(all, "change")} of ${plural(changedPages, "page")} in ${days.length} days`}
          caption="Changes by day (UTC)"
          columns={["Day", "Changes"]}
          bars={bars}
        />
      </section>
      {pages.length > 0 && (
        <section class="panel flush" id="changed">
          <Table
            class="rows"
            caption={`Pages with most changes${pages.length < changedPages ? ` (${pages.length} of ${count(changedPages)})` : ""}`}
            columns={[
              {
                text: "Page",
                cell: ({ url, title }) => (
                  <>
                    <a class="title" href={recordAddress(id, url)}>
                      {title || shortUrl(url)}
                    </a>
                    {title && <span class="address muted small">{shortUrl(url)}</span>}
                  </>
                ),
              },
              { text: "Changes", class: "number", cell: ({ changes }) => count(changes) },
              {
                text: "The last one",
                class: "of-change",
                cell: (page) => (
                  <>
                    <a href={changePath(id, page)}>
                      {sentence(page.kind)}
                      <span class="visually-hidden"> of {shortUrl(page.url)}</span>
                    </a>
                    {page.detail !== null && <span class="why muted small">{sentence(page.detail)}</span>}
                  </>
                ),
              },
              { text: "Noticed", class: "of-fetched mid", cell: ({ at }) => <Time at={at} /> },
            ]}
            rows={pages}
          />
        </section>
      )}
    </>
  );
};

const Troubles: FC<MonthProps> = ({ id, month: { troubledHosts, troubledPages } }) => (
  <section class="panel" id="trouble">
    <h2>What is in trouble</h2>
    {troubledHosts.length === 0 && troubledPages.length === 0 && (
      <p class="muted">No host was in trouble in these days, and no page keeps failing.</p>
    )}
    {troubledHosts.length > 0 && (
      <Table
        caption="Hosts in trouble"
        columns={[
          { text: "Host", class: "url", cell: ({ host }) => host },
          { text: "Since", cell: ({ since }) => <Time at={since} /> },
          { text: "Until", cell: ({ isNow, lastAt }) => (isNow ? "Now" : lastAt.slice(0, 10)) },
          { text: "Found", cell: ({ why }) => why ?? "" },
        ]}
        rows={troubledHosts}
      />
    )}
    {troubledPages.length > 0 && (
      <Table
        caption="Pages in trouble"
        columns={[
          {
            text: "Page",
            class: "url",
            cell: ({ url }) => <a href={`/crawls/${id}/explain?${new URLSearchParams({ url })}`}>{shortUrl(url)}</a>,
          },
          { text: "Since", cell: ({ since }) => <Time at={since} /> },
          { text: "Found", cell: ({ why }) => why },
        ]}
        rows={troubledPages}
      />
    )}
  </section>
);
