import { Hono } from "hono";
import type { FC } from "hono/jsx";
import type { ReportView } from "../api/report-view.ts";
import type { CrawlView, FormattedRecordView } from "../api/views.ts";
import { recordAddress, recordsAddress } from "./addresses.ts";
import { ApiProblem, callApi } from "./call-api.ts";
import { CrawlHeading } from "./crawl-heading.tsx";
import { Page, render } from "./layout.tsx";
import { bytes, count, Status, sentence, shortUrl, Time } from "./numbers.tsx";
import type { Console, PageContext } from "./page-context.ts";
import { FILTERS, type RecordFilters, RecordFiltersForm, SORTS } from "./record-filters.tsx";

/** A crawl's records: filtered, sorted, and read on as long as one likes. */

export const recordsPageRoutes = new Hono<Console>();

const AT_A_TIME = 100;

interface RecordsAnswer {
  records: FormattedRecordView[];
  cursor: string | null;
}

recordsPageRoutes.get("/crawls/:id/records", async (c) => {
  const at = `/api/crawls/${encodeURIComponent(c.req.param("id"))}`;
  const filters = readFilters(c);
  const cursor = c.req.query("cursor") ?? "";
  const [crawl, report, found] = await Promise.all([
    callApi<CrawlView>(c, "GET", at),
    callApi<ReportView>(c, "GET", `${at}/report`),
    findRecords(c, at, filters, cursor),
  ]);
  const problem = "problem" in found ? found.problem : null;
  const { records, cursor: next } = "problem" in found ? { records: [], cursor: null } : found;
  return render(
    c,
    <Page title="Records" c={c} section="crawls" scripts={["more.js"]} styles={["records.css"]}>
      <CrawlHeading crawl={crawl} tab="records" />
      <RecordFiltersForm crawl={crawl} report={report} filters={filters} />
      {problem !== null && (
        <p class="notice problem" role="alert">
          {problem}
        </p>
      )}
      {cursor !== "" && (
        <p class="back">
          <a href={recordsAddress(crawl, filters)}>From the beginning</a>
        </p>
      )}
      {records.length === 0 ? (
        problem === null && <Nothing crawl={crawl} filters={filters} />
      ) : (
        <div class="panel flush table" id="parts">
          <RecordsTable crawl={crawl} records={records} filters={filters} />
        </div>
      )}
      <p class="visually-hidden" role="status" id="said" />
      {next !== null && (
        <p class="centred-button" id="more">
          <a class="button" href={recordsAddress(crawl, { ...filters, cursor: next })} data-more>
            Load more
          </a>
        </p>
      )}
    </Page>,
    problem === null ? 200 : 400,
  );
});

/** An order that cannot be asked for is said where one reads, not instead of the page. */
async function findRecords(
  c: PageContext,
  at: string,
  { sort = "", ...filters }: RecordFilters,
  cursor: string,
): Promise<RecordsAnswer | { problem: string }> {
  const [by = "url", order = "asc"] = sort.split(".");
  const query = new URLSearchParams({ ...filters, sort: by || "url", order, cursor, limit: String(AT_A_TIME) });
  try {
    return await callApi<RecordsAnswer>(c, "GET", `${at}/records?${query}`);
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 400) return { problem: error.message };
    throw error;
  }
}

function readFilters(c: PageContext): RecordFilters {
  const given = FILTERS.flatMap((name) => {
    const value = c.req.query(name)?.trim() ?? "";
    return value === "" ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

const COLUMNS = [
  { text: "Page", by: "url" },
  { text: "Status", by: "status" },
  { text: "Code", by: "code", class: "number mid" },
  { text: "Type", class: "wide" },
  { text: "Size", by: "bytes", class: "number mid" },
  { text: "Depth", by: "depth", class: "number wide" },
  { text: "Fetched", by: "fetchedAt", class: "wide nowrap" },
] as const;

const RecordsTable: FC<{ crawl: CrawlView; records: FormattedRecordView[]; filters: RecordFilters }> = ({
  crawl,
  records,
  filters,
}) => (
  <div class="part">
    <table class="rows">
      <caption class="visually-hidden">Records of the crawl</caption>
      <colgroup>
        {COLUMNS.map((column) => (
          <col class={`of-${column.text.toLowerCase()} ${"class" in column ? column.class : ""}`} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {COLUMNS.map((column) => (
            <SortableHeader crawl={crawl} filters={filters} column={column} />
          ))}
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <tr>
            <th scope="row">
              <a class="title" href={recordAddress(crawl.id, record.url)}>
                {record.title || shortUrl(record.url)}
              </a>
              {record.title !== null && record.title !== "" && (
                <span class="address muted small">{shortUrl(record.url)}</span>
              )}
            </th>
            <td>
              <Status of={record.status} />
              {record.explanation !== null && <span class="why muted small">{sentence(record.explanation)}</span>}
            </td>
            <td class="number mid">{record.httpStatus ?? "–"}</td>
            <td class="wide">{record.contentType?.split(";")[0] ?? "–"}</td>
            <td class="number mid">{record.bytes === null ? "–" : bytes(record.bytes)}</td>
            <td class="number wide">{count(record.depth)}</td>
            <td class="wide nowrap">
              <Time at={record.fetchedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** A second use of the same header turns the order round. */
const SortableHeader: FC<{ crawl: CrawlView; filters: RecordFilters; column: (typeof COLUMNS)[number] }> = ({
  crawl,
  filters,
  column,
}) => {
  const style = "class" in column ? column.class : undefined;
  if (!("by" in column))
    return (
      <th scope="col" class={style}>
        {column.text}
      </th>
    );
  const { by, text } = column;
  const [sorted = "url", order = "asc"] = (filters.sort ?? "url.asc").split(".");
  const ways = SORTS.map(({ value }) => value).filter((value) => value.startsWith(`${by}.`));
  const now = `${by}.${order}`;
  const next = sorted === by ? (ways.find((way) => way !== now) ?? now) : (ways[0] ?? `${by}.asc`);
  return (
    <th scope="col" class={style} aria-sort={sorted !== by ? undefined : order === "desc" ? "descending" : "ascending"}>
      <a class="sort" href={recordsAddress(crawl, { ...filters, sort: next })}>
        {text}
      </a>
    </th>
  );
};

const Nothing: FC<{ crawl: CrawlView; filters: RecordFilters }> = ({ crawl, filters }) => (
  <div class="panel empty">
    <h2>{Object.keys(filters).length === 0 ? "No URL is known yet" : "No URL is like that"}</h2>
    {Object.keys(filters).length > 0 && (
      <a class="button" href={recordsAddress(crawl, {})}>
        Show all of them
      </a>
    )}
  </div>
);
