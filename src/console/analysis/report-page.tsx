import { Hono } from "hono";
import type { FC } from "hono/jsx";
import { ApiProblem } from "../../api/requests/api-problem.ts";
import type { CrawlView, FindingsView, IgnoreListView, PassView } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import { MAX_IGNORE_CHARACTERS } from "../../graph/problems/ignore-list.ts";
import { apiPath, callApi, callApiIfThere, callApiOrMessage } from "../call-api.ts";
import { CrawlHeading } from "../crawl/crawl-heading.tsx";
import { Page, render } from "../layout.tsx";
import { readForm } from "../new-crawl/read-form.ts";
import type { Console, PageContext } from "../page-context.ts";
import { recordAddress } from "../parts/addresses.ts";
import { Submit } from "../parts/controls.tsx";
import { shortUrl, Time } from "../parts/numbers.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { callReindexPrice, PassPanel } from "./pass-panel.tsx";

/** The site report of a crawl: the numbers by kind, and the list of one kind. */

export const reportPageRoutes = new Hono<Console>();

const PAGE_SIZE = 100;
/** Crawls among which one is chosen to compare with. */
const LOOKED_AT = 100;
const FORMATS = ["html", "md", "csv", "json", "junit", "sarif"];

type Finding = FindingsView["findings"][number];
type Query = [kind: string, cursor: string, against: string];
type Count = FindingsView["counts"][number];

reportPageRoutes.get("/crawls/:id/report", (c) => reportPage(c));

reportPageRoutes.post("/crawls/:id/report", async (c) => {
  const { list: [list = ""] = [] } = await readForm(c);
  try {
    await callApi(c, "POST", `${apiPath(c)}/ignored`, { list });
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 400) throw error;
    return reportPage(c, { list, message: error.message });
  }
  return c.redirect(`/crawls/${encodeURIComponent(c.req.param("id"))}/report`, 303);
});

/** `refused`: a list to ignore that has a mistake, to be corrected. */
async function reportPage(c: PageContext, refused: { list: string; message: string } | null = null) {
  const at = apiPath(c);
  const [kind, cursor, against] = ["kind", "cursor", "against"].map((name) => c.req.query(name) ?? "") as Query;
  const [crawl, passes, known, crawls, ignored] = await Promise.all([
    callApi<CrawlView>(c, "GET", at),
    callApi<PassView[]>(c, "GET", `${at}/passes`),
    callApiIfThere<FindingsView>(c, "GET", `${at}/findings`),
    callApi<CrawlView[]>(c, "GET", `/api/crawls?limit=${LOOKED_AT}`),
    callApi<IgnoreListView>(c, "GET", `${at}/ignored`),
  ]);
  const query = given({ kind, cursor, against, limit: String(PAGE_SIZE) });
  const list =
    (kind === "" && against === "") || known === null
      ? null
      : await callApiOrMessage<FindingsView>(c, `${at}/findings?${query}`);
  return render(
    c,
    <Page title="Report" c={c} section="crawls" scripts={["live.js", "more.js"]} styles={["records.css"]}>
      <CrawlHeading crawl={crawl} tab="report" />
      <PassPanel
        crawl={crawl}
        pass={passes.find(({ kind }) => kind === "analyze") ?? null}
        price={await callReindexPrice(c, crawl)}
        mayAct={c.get("access") === "all"}
      />
      <div id="findings" data-live>
        {known !== null && list === null && <Summary crawl={crawl} against="" report={known} />}
        {kind === "" && list !== null && typeof list !== "string" && (
          <Summary crawl={crawl} against={against} report={list} />
        )}
        {known !== null && kind === "" && <Compare crawl={crawl} against={against} crawls={crawls} />}
        {known === null && passes.every(({ kind }) => kind !== "analyze") && (
          <p class="empty">This crawl was not analyzed yet.</p>
        )}
      </div>
      {typeof list === "string" && (
        <p class="notice problem" role="alert">
          {list}
        </p>
      )}
      {kind !== "" && list !== null && typeof list !== "string" && (
        <FindingList crawl={crawl} kind={kind} against={against} report={list} />
      )}
      {known !== null && kind === "" && <Ignored list={ignored} refused={refused} mayAct={c.get("access") === "all"} />}
    </Page>,
    typeof list === "string" || refused !== null ? 400 : 200,
  );
}

/** What the site's reports leave out, and the form that changes it. */
const Ignored: FC<{ list: IgnoreListView; refused: { list: string; message: string } | null; mayAct: boolean }> = ({
  list,
  refused,
  mayAct,
}) => (
  <section class="panel" id="ignored">
    <h2>Ignored findings</h2>
    {refused !== null && (
      <p class="notice problem" role="alert">
        {refused.message}
      </p>
    )}
    {list.rules.length === 0 && !mayAct && <p>None.</p>}
    {mayAct ? (
      <form method="post">
        <label for="list">
          One rule a line: <code>broken-link https://example.com/old/** until 2027-03-31 # why</code>. <code>*</code> is
          any kind, and the day may be left out. All crawls with the same seeds share the list.
        </label>
        <textarea id="list" name="list" rows={6} maxlength={MAX_IGNORE_CHARACTERS} spellcheck={false}>
          {refused?.list ?? list.list}
        </textarea>
        <Submit>Save the list</Submit>
      </form>
    ) : (
      list.rules.length > 0 && <pre>{list.list}</pre>
    )}
  </section>
);

/** Chooses the crawl with which the report is compared, among those of the same hosts. */
const Compare: FC<{ crawl: CrawlView; against: string; crawls: CrawlView[] }> = ({ crawl, against, crawls }) => {
  const hosts = hostsOf(crawl);
  const others = crawls.filter(
    ({ id, ...other }) => id !== crawl.id && hostsOf(other).some((host) => hosts.includes(host)),
  );
  if (others.length === 0) return null;
  return (
    <form class="panel actions" method="get">
      <label for="against">Compare with the report of</label>
      <select id="against" name="against">
        <option value="">the analysis before</option>
        {others.map(({ id, createdAt }) => (
          <option value={id} selected={id === against}>
            {createdAt.slice(0, 16).replace("T", " ")}, {id.slice(0, 8)}
          </option>
        ))}
      </select>
      <Submit>Compare</Submit>
    </form>
  );
};

function hostsOf({ options }: Pick<CrawlView, "options">): string[] {
  return options.urls.map((url) => URL.parse(url)?.host ?? url);
}

const Summary: FC<{ crawl: CrawlView; against: string; report: FindingsView }> = ({ crawl, against, report }) => {
  const { counts, pages, links, leftOut, finishedAt, comparedWith, comparedCrawl } = report;
  return (
    <>
      <p class="notice">
        {plural(pages, "page")} and {plural(links, "link")}, analyzed <Time at={finishedAt} />
        {comparedWith !== null && (
          <>
            , compared with the analysis{" "}
            {comparedCrawl !== null && (
              <>
                of crawl <a href={`/crawls/${comparedCrawl}/report`}>{comparedCrawl.slice(0, 8)}</a>{" "}
              </>
            )}
            <Time at={comparedWith} />
          </>
        )}
        . <a href={`/crawls/${crawl.id}/map`}>What kinds of pages the site has</a>
      </p>
      {leftOut.map((sentence) => (
        <p class="notice">{sentence}</p>
      ))}
      {counts.length === 0 ? (
        <p class="empty">No problems were found.</p>
      ) : (
        <div class="panel flush">
          <Table caption="Findings" columns={countColumns(crawl, against, comparedWith !== null)} rows={counts} />
        </div>
      )}
      <Downloads crawl={crawl} kind="" against={against} />
    </>
  );
};

function countColumns(crawl: CrawlView, against: string, isCompared: boolean): Column<Count>[] {
  return [
    {
      text: "Finding",
      cell: ({ kind, title, explanation, mend }) => (
        <>
          <a href={address(crawl, kind, against)}>{title}</a>
          <p class="muted small meaning">
            {explanation} {mend}
          </p>
        </>
      ),
    },
    { text: "Severity", class: "mid", cell: ({ severity }) => severity },
    {
      text: "Found",
      class: "number",
      cell: ({ kind, found }) => <a href={address(crawl, kind, against)}>{count(found)}</a>,
    },
    ...(isCompared
      ? [
          { text: "New", class: "number", cell: (each: Count) => count(each.new) },
          { text: "Still", class: "number mid", cell: ({ still }: Count) => count(still) },
          { text: "Mended", class: "number mid", cell: ({ mended }: Count) => count(mended) },
        ]
      : []),
  ];
}

const FindingList: FC<{ crawl: CrawlView; kind: string; against: string; report: FindingsView }> = (props) => {
  const { crawl, kind, against, report } = props;
  const { counts, findings, cursor } = report;
  const about = counts.find((each) => each.kind === kind);
  return (
    <>
      <p class="back">
        <a href={address(crawl, "", against)}>Back to the summary</a>
      </p>
      <section class="panel">
        <h2>{about?.title ?? "No findings"}</h2>
        {about !== undefined && (
          <p>
            {about.explanation} {about.mend}
          </p>
        )}
      </section>
      {findings.length > 0 && (
        <div class="panel flush" id="parts">
          <div class="part">
            <Table class="rows" caption="Findings" columns={findingColumns(crawl)} rows={findings} />
          </div>
        </div>
      )}
      <p class="visually-hidden" role="status" id="announcement" />
      {cursor !== null && (
        <p class="centred-button" id="more">
          <a class="button" href={`${address(crawl, kind, against)}&cursor=${cursor}`} data-more>
            Load more
          </a>
        </p>
      )}
      <Downloads crawl={crawl} kind={kind} against={against} />
    </>
  );
};

function findingColumns({ id }: CrawlView): Column<Finding>[] {
  return [
    {
      text: "Page",
      cell: ({ page, change }) => (
        <>
          <a class="url" href={recordAddress(id, page)}>
            {shortUrl(page)}
          </a>
          {change !== null && <span class="muted small"> {change}</span>}
        </>
      ),
    },
    { text: "Text", class: "mid", cell: ({ text, place }) => <Words text={text} place={place} /> },
    {
      text: "Target",
      cell: ({ target, hops = [] }) =>
        target !== undefined && (
          <>
            <a class="url" href={recordAddress(id, target.split("#", 1)[0] ?? target)}>
              {shortUrl(target)}
            </a>
            {hops.slice(0, -1).map((hop) => (
              <div class="muted small url">over {shortUrl(hop)}</div>
            ))}
          </>
        ),
    },
    { text: "Details", cell: ({ detail }) => detail },
  ];
}

const Words: FC<Pick<Finding, "text" | "place">> = ({ text, place }) => (
  <>
    <bdi>{text}</bdi>
    {place !== undefined && <div class="muted small">in {place}</div>}
  </>
);

const Downloads: FC<{ crawl: CrawlView; kind: string; against: string }> = ({ crawl, kind, against }) => (
  <section class="panel" id="downloads">
    <h2>Download</h2>
    <div class="actions">
      {FORMATS.map((format) => (
        <a class="button" href={fileAddress(crawl, format, kind, against)} download>
          {format.toUpperCase()}
        </a>
      ))}
    </div>
  </section>
);

function address({ id }: CrawlView, kind: string, against: string): string {
  const query = given({ kind, against });
  return query === "" ? `/crawls/${id}/report` : `/crawls/${id}/report?${query}`;
}

function fileAddress({ id }: CrawlView, format: string, kind: string, against: string): string {
  return `/api/crawls/${id}/findings/file?${given({ format, kind, against })}`;
}

/** A query without what is empty. */
function given(parameters: Record<string, string>): string {
  return new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== "")).toString();
}
