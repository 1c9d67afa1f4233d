import type { Child, FC } from "hono/jsx";
import type { BackgroundList, CrawlDetail, FindingsView, ReportView } from "../../api/views.ts";
import { bytes, count, plural } from "../../core/shown-values.ts";
import { EXPORT_FORMATS, type ExportFormat } from "../../crawl/export-table.ts";
import { recordsAddress } from "../parts/addresses.ts";
import { Submit } from "../parts/controls.tsx";
import { mayWatch } from "./crawl-actions.tsx";
import { isErrorReason, reasonText } from "./explanation.tsx";
import { pagesOf } from "./progress.tsx";

/** What came of a crawl that has ended: its problems by kind, its downloads, and what to do next. */

/** The formats that most people download. The page Export has all of them. */
const DOWNLOADS = ["markdown", "csv", "jsonl", "wacz"] as const;
/** Those that have all URLs: a crawl without a page has nothing else. */
const OF_URLS: readonly string[] = ["csv", "jsonl"];
const MAX_PROBLEMS = 6;
const UNAUTHORIZED = 401;

interface OutcomeProps {
  crawl: CrawlDetail;
  report: ReportView | null;
  /** Of the last analysis; null before the first. */
  findings: FindingsView | null;
  isAnalyzing: boolean;
  /** The formats whose files are made first. */
  long: BackgroundList["long"];
  mayAct: boolean;
}

export const CrawlOutcome: FC<OutcomeProps> = ({ crawl, report, findings, isAnalyzing, long, mayAct }) => (
  <section class="panel outcome" data-key="outcome">
    <h2>
      {plural(pagesOf(crawl), "page")} stored, {bytes(crawl.bytes)}
    </h2>
    <div class="columns">
      <Problems crawl={crawl} report={report} findings={findings} isAnalyzing={isAnalyzing} mayAct={mayAct} />
      <Group title="Downloads">
        {DOWNLOADS.filter((name) => isOffered(name, crawl)).map((name) => {
          const { label } = EXPORT_FORMATS[name] as ExportFormat;
          const isLong = long.some((each) => each === name);
          return (
            <li>
              {isLong ? (
                <a href={`/crawls/${crawl.id}/export`}>{label}</a>
              ) : (
                <a href={`/api/crawls/${crawl.id}/export?format=${name}`} download>
                  {label}
                </a>
              )}
            </li>
          );
        })}
        {pagesOf(crawl) > 0 && (
          <li>
            <a href={`/crawls/${crawl.id}/export`}>All formats, and a folder that opens offline</a>
          </li>
        )}
      </Group>
      <Group title="Next">
        {mayAct && (report?.codes[UNAUTHORIZED] ?? 0) > 0 && (
          <li>
            <a href="/sessions">Log in with a session: pages ask for it</a>
          </li>
        )}
        {pagesOf(crawl) > 0 && (
          <li>
            <a href={recordsAddress(crawl, { status: "completed", open: "markdown" })}>Read the pages</a>
          </li>
        )}
        {crawl.options.search && (
          <li>
            <a href={`/search?${new URLSearchParams({ crawl: crawl.id })}`}>Search their text</a>
          </li>
        )}
        {pagesOf(crawl) > 0 && (
          <li>
            <a href={`/crawls/${crawl.id}/map`}>See the site as a map</a>
          </li>
        )}
        <li>
          <a href="#why">Ask why a URL is missing</a>
        </li>
        {mayAct && mayWatch(crawl) && crawl.options.watch === null && (
          <li>
            <a href="#watch-form">Watch the site for changes</a>
          </li>
        )}
      </Group>
    </div>
  </section>
);

function isOffered(name: string, crawl: CrawlDetail): boolean {
  if (pagesOf(crawl) === 0) return OF_URLS.includes(name);
  return name !== "wacz" || crawl.options.store === "warc";
}

const Problems: FC<Omit<OutcomeProps, "long">> = ({ crawl, report, findings, isAnalyzing, mayAct }) => {
  const errors = Object.entries(report?.reasons ?? {}).filter(([reason]) => isErrorReason(reason));
  const failed = errors.map(([reason, number]) => ({
    text: reasonText(reason),
    number,
    href: recordsAddress(crawl, { reason }),
  }));
  const found = (findings?.counts ?? [])
    .filter((each) => each.found > 0)
    .map(({ kind, title, found: number }) => ({
      text: title,
      number,
      href: `/crawls/${crawl.id}/report?${new URLSearchParams({ kind })}`,
    }));
  const all = [...failed.toSorted((a, b) => b.number - a.number), ...found];
  return (
    <Group title="Problems">
      {all.slice(0, MAX_PROBLEMS).map(({ text, number, href }) => (
        <li class="problem-line">
          <a href={href}>{text}</a>
          <span class="number">{count(number)}</span>
        </li>
      ))}
      {all.length > MAX_PROBLEMS && (
        <li>
          <a href={`/crawls/${crawl.id}/report`}>{plural(all.length - MAX_PROBLEMS, "more kind")}</a>
        </li>
      )}
      {all.length === 0 && <li>No URL failed.</li>}
      {findings === null && isAnalyzing && <li>Looking for broken links …</li>}
      {findings === null && !isAnalyzing && mayAct && pagesOf(crawl) > 0 && (
        <li>
          <form method="post" action={`/crawls/${crawl.id}/analyze`}>
            <Submit id="find-problems">Find broken links</Submit>
          </form>
        </li>
      )}
    </Group>
  );
};

const Group: FC<{ title: string; children?: Child }> = ({ title, children }) => (
  <div>
    <h3>{title}</h3>
    <ul class="links">{children}</ul>
  </div>
);
