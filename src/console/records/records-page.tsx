import { Hono } from "hono";
import type { FC } from "hono/jsx";
import type {
  ClassificationView,
  CrawlView,
  FormattedRecordView,
  MarksView,
  PassView,
  ReportView,
} from "../../api/views.ts";
import { bytes, count } from "../../core/shown-values.ts";
import { MarkBox, MarkForm } from "../analysis/mark-form.tsx";
import { apiPath, callApi, callApiIfThere, callApiOrMessage } from "../call-api.ts";
import { CrawlHeading } from "../crawl/crawl-heading.tsx";
import { Page, render } from "../layout.tsx";
import type { Console, PageContext } from "../page-context.ts";
import { type RecordsQuery, recordAddress, recordsAddress } from "../parts/addresses.ts";
import { pathOf, Status, sentence, shortUrl, Time } from "../parts/numbers.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { FILTERS, type RecordFilters, RecordFiltersForm, SORTS } from "./record-filters.tsx";

/** A crawl's records, filtered, sorted and loaded in parts. */

export const recordsPageRoutes = new Hono<Console>();

const PAGE_SIZE = 100;

interface RecordsAnswer {
  records: FormattedRecordView[];
  cursor: string | null;
}

recordsPageRoutes.get("/crawls/:id/records", async (c) => {
  const at = apiPath(c);
  const filters = readFilters(c);
  const query: RecordsQuery = c.req.query("open") === "markdown" ? { ...filters, open: "markdown" } : filters;
  const cursor = c.req.query("cursor") ?? "";
  const [crawl, report, passes, found, classified, marks] = await Promise.all([
    callApi<CrawlView>(c, "GET", at),
    callApi<ReportView>(c, "GET", `${at}/report`),
    callApi<PassView[]>(c, "GET", `${at}/passes`),
    findRecords(c, at, filters, cursor),
    callApiIfThere<ClassificationView>(c, "GET", `${at}/classification`),
    callApi<MarksView>(c, "GET", `${at}/marks`),
  ]);
  const labels = (classified?.labels ?? []).map(({ label, pages }) => {
    return { value: label, text: `${label} (${count(pages)})` };
  });
  const isAnalyzed = passes.some(({ kind, status }) => kind === "analyze" && status === "completed");
  const problem = typeof found === "string" ? found : null;
  const { records, cursor: next } = typeof found === "string" ? { records: [], cursor: null } : found;
  return render(
    c,
    <Page title="Records" c={c} section="crawls" scripts={["more.js"]} styles={["records.css"]}>
      <CrawlHeading crawl={crawl} tab="records" />
      <RecordFiltersForm crawl={crawl} report={report} filters={filters} labels={labels} />
      {problem !== null && (
        <p class="notice problem" role="alert">
          {problem}
        </p>
      )}
      {cursor !== "" && (
        <p class="back">
          <a href={recordsAddress(crawl, query)}>Back to the first records</a>
        </p>
      )}
      {records.length === 0 ? (
        problem === null && <NoRecords crawl={crawl} filters={filters} />
      ) : (
        <>
          {c.get("access") === "all" && (
            <MarkForm crawl={crawl} marks={marks} back={recordsAddress(crawl, { ...query, cursor })} />
          )}
          <div class="panel flush" id="parts">
            <RecordsTable
              crawl={crawl}
              records={records}
              query={query}
              isAnalyzed={isAnalyzed}
              isLabelled={labels.length > 0}
              marks={new Map(marks.marks.map(({ url, label }) => [url, label]))}
              mayMark={c.get("access") === "all"}
              hasHosts={report.hosts.length > 1}
            />
          </div>
        </>
      )}
      <p class="visually-hidden" role="status" id="announcement" />
      {next !== null && (
        <p class="centred-button" id="more">
          <a class="button" href={recordsAddress(crawl, { ...query, cursor: next })} data-more>
            Load more
          </a>
        </p>
      )}
    </Page>,
    problem === null ? 200 : 400,
  );
});

function findRecords(
  c: PageContext,
  at: string,
  { sort = "", ...filters }: RecordFilters,
  cursor: string,
): Promise<RecordsAnswer | string> {
  const [by = "url", order = "asc"] = sort.split(".");
  const query = new URLSearchParams({ ...filters, sort: by || "url", order, cursor, limit: String(PAGE_SIZE) });
  return callApiOrMessage<RecordsAnswer>(c, `${at}/records?${query}`);
}

function readFilters(c: PageContext): RecordFilters {
  const given = FILTERS.flatMap((name) => {
    const value = c.req.query(name)?.trim() ?? "";
    return value === "" ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

interface RecordsTableProps {
  crawl: CrawlView;
  records: FormattedRecordView[];
  query: RecordsQuery;
  isAnalyzed: boolean;
  isLabelled: boolean;
  /** The labels that people gave, by URL. */
  marks: ReadonlyMap<string, string>;
  mayMark: boolean;
  /** Whether the crawl has URLs of several hosts. */
  hasHosts: boolean;
}

const RecordsTable: FC<RecordsTableProps> = (props) => {
  const { crawl, records, query, isAnalyzed, isLabelled, marks, mayMark, hasHosts } = props;
  const sortable = (by: string, text: string) => ({ text, ...sortBy(crawl, query, by, text) });
  const columns: Column<FormattedRecordView>[] = [
    {
      ...sortable("url", "Page"),
      cell: (record) => <Name crawl={crawl} record={record} hasHosts={hasHosts} open={query.open} />,
    },
    {
      ...sortable("status", "Status"),
      class: "of-status",
      cell: ({ status, explanation }) => (
        <>
          <Status of={status} />
          {explanation !== null && <span class="why muted small">{sentence(explanation)}</span>}
        </>
      ),
    },
    { ...sortable("code", "Code"), class: "of-code number mid", cell: ({ httpStatus }) => httpStatus ?? "–" },
    { text: "Type", class: "of-type wide", cell: ({ contentType }) => contentType?.split(";")[0] ?? "–" },
    {
      ...sortable("bytes", "Size"),
      class: "of-size number mid",
      cell: (record) => (record.bytes === null ? "–" : bytes(record.bytes)),
    },
    { ...sortable("depth", "Depth"), class: "of-depth number wide", cell: ({ depth }) => count(depth) },
    ...(crawl.relevant === null
      ? []
      : [{ ...sortable("relevance", "Relevance"), class: "of-rank number wide", cell: relevanceCell }]),
    ...(isAnalyzed
      ? [
          { ...sortable("rank", "Rank"), class: "of-rank number wide", cell: rankCell },
          { ...sortable("inLinks", "In-links"), class: "of-in-links number wide", cell: inLinksCell },
        ]
      : []),
    ...(isLabelled || marks.size > 0 ? [{ text: "Label", class: "of-label mid", cell: labelCell(marks) }] : []),
    ...(mayMark
      ? [{ text: "Mark", class: "of-mark", cell: (record: FormattedRecordView) => <MarkBox record={record} /> }]
      : []),
    {
      ...sortable("fetchedAt", "Fetched"),
      class: "of-fetched wide nowrap",
      cell: ({ fetchedAt }) => <Time at={fetchedAt} />,
    },
  ];
  return (
    <div class="part">
      <Table
        class={isLabelled || marks.size > 0 ? "rows labelled" : "rows"}
        caption="Records of the crawl"
        columns={columns}
        rows={records}
      />
    </div>
  );
};

/** The mark of a person, or else the label of the classification with its confidence. */
const labelCell =
  (marks: ReadonlyMap<string, string>) =>
  ({ url, label, confidence }: FormattedRecordView) => {
    const mark = marks.get(url);
    if (mark !== undefined) return <span class="tag">{mark}</span>;
    if (label === null) return "–";
    return (
      <>
        {label} <span class="muted small">{confidence?.toFixed(2)}</span>
      </>
    );
  };
const relevanceCell = ({ relevance }: FormattedRecordView) => relevance?.toFixed(2) ?? "–";
const rankCell = ({ rank }: FormattedRecordView) => rank ?? "–";
const inLinksCell = ({ inLinks }: FormattedRecordView) => (inLinks === null ? "–" : count(inLinks));

interface NameProps {
  crawl: CrawlView;
  record: FormattedRecordView;
  hasHosts: boolean;
  open: RecordsQuery["open"];
}

const Name: FC<NameProps> = ({ crawl, record: { url, title }, hasHosts, open }) => (
  <a class="title" href={recordAddress(crawl.id, url, open)} title={url}>
    <span class="path">{hasHosts ? shortUrl(url) : pathOf(url)}</span>
    {title !== null && title !== "" && <span class="name muted small">{title}</span>}
  </a>
);

/** The head of a sortable column. A second click reverses the order. */
function sortBy(crawl: CrawlView, query: RecordsQuery, by: string, text: string) {
  const [sorted = "url", order = "asc"] = (query.sort ?? "url.asc").split(".");
  const orders = SORTS.map(({ value }) => value).filter((value) => value.startsWith(`${by}.`));
  const now = `${by}.${order}`;
  const next = sorted === by ? (orders.find((other) => other !== now) ?? now) : (orders[0] ?? `${by}.asc`);
  return {
    sorted: sorted !== by ? undefined : order === "desc" ? ("descending" as const) : ("ascending" as const),
    head: (
      <a class="sort" href={recordsAddress(crawl, { ...query, sort: next })}>
        {text}
      </a>
    ),
  };
}

const NoRecords: FC<{ crawl: CrawlView; filters: RecordFilters }> = ({ crawl, filters }) => (
  <div class="panel empty">
    <h2>{Object.keys(filters).length === 0 ? "No URLs yet" : "No matching URLs"}</h2>
    {Object.keys(filters).length > 0 && (
      <a class="button" href={recordsAddress(crawl, {})}>
        Show all records
      </a>
    )}
  </div>
);
