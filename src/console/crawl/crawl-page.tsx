import { Hono } from "hono";
import type { FC } from "hono/jsx";
import type {
  BackgroundList,
  CrawlDetail,
  ExplainView,
  FindingsView,
  HostView,
  PassView,
  ReportView,
  VisitsView,
} from "../../api/views.ts";
import { plural, spentInWords } from "../../core/shown-values.ts";
import { ModelGaps } from "../analysis/extraction-page.tsx";
import { callReindexPrice, PassPanel } from "../analysis/pass-panel.tsx";
import { apiPath, callApi, callApiIfThere } from "../call-api.ts";
import { Page, render, Stale } from "../layout.tsx";
import { type FormValues, ownDefaults } from "../new-crawl/crawl-form-data.ts";
import type { Console, PageContext } from "../page-context.ts";
import { Submit, UrlInput } from "../parts/controls.tsx";
import type { Problems } from "../parts/field.tsx";
import { shortUrl, Time } from "../parts/numbers.tsx";
import { Settings } from "../parts/settings.tsx";
import { WatchPanels } from "../watch/watch-panel.tsx";
import { Actions, hasEnded, LimitsForm, mayWatch, RaiseLimitForm, WatchForm } from "./crawl-actions.tsx";
import { CrawlHeading } from "./crawl-heading.tsx";
import { CrawlOutcome } from "./crawl-outcome.tsx";
import { Charts, Progress } from "./crawl-progress.tsx";
import { Breakdowns, FullHosts, LeftOutRecords, Newest, RefusedLinks, SlowedPatterns } from "./crawl-sections.tsx";
import { Steps, Verdict } from "./explanation.tsx";
import { BusyHosts } from "./hosts-table.tsx";
import { percent } from "./progress.tsx";

/** The overview of a crawl, and the explanation of one URL. */

export const crawlPageRoutes = new Hono<Console>();

crawlPageRoutes.get("/crawls/:id", (c) => crawlPage(c));

/** Why the API refused an action on the crawl. */
interface Refused {
  status: 400 | 409 | 507;
  problems: Problems;
  /** The values of the watch's form, if it was posted. */
  watch: FormValues | null;
}

export async function crawlPage(c: PageContext, refused?: Refused): Promise<Response> {
  const at = apiPath(c);
  const crawl = await callApi<CrawlDetail>(c, "GET", at);
  const [report, hosts, visits, passes, price, findings, exports] = await Promise.all([
    callApiIfThere<ReportView>(c, "GET", `${at}/report`),
    hasEnded(crawl) ? [] : callApi<HostView[]>(c, "GET", `${at}/hosts`),
    crawl.watching === null ? null : callApi<VisitsView>(c, "GET", `${at}/visits`),
    callApi<PassView[]>(c, "GET", `${at}/passes`),
    callReindexPrice(c, crawl),
    hasEnded(crawl) ? callApiIfThere<FindingsView>(c, "GET", `${at}/findings?limit=1`) : null,
    hasEnded(crawl) ? callApi<BackgroundList>(c, "GET", `${at}/exports`) : null,
  ]);
  const analysis = passes.find(({ kind }) => kind === "analyze") ?? null;
  const mayAct = c.get("access") === "all";
  const problems = refused?.problems ?? {};
  const skipped = report?.reasons.limit ?? 0;
  const page = (
    <Page
      title={`${percent(crawl)} ${shortUrl(crawl.urls[0] ?? "")}`}
      c={c}
      section="crawls"
      scripts={["live.js", "watch.js", "chart.js"]}
    >
      <CrawlHeading crawl={crawl} tab="overview">
        {mayAct && <Actions crawl={crawl} />}
      </CrawlHeading>
      {refused !== undefined && (
        <p class="notice problem" role="alert">
          {problems[""]?.join(" ") ?? "The change was not saved. Correct the marked fields."}
        </p>
      )}
      <p id="announcement" class="visually-hidden" role="status" />
      <Stale />
      <div
        id="live"
        data-live
        data-address={`/crawls/${crawl.id}`}
        data-watch={hasEnded(crawl) ? undefined : `${at}/events`}
        data-status={crawl.status}
      >
        <Notices crawl={crawl} skipped={skipped} mayAct={mayAct} />
        {exports !== null && (
          <CrawlOutcome
            crawl={crawl}
            report={report}
            findings={findings}
            isAnalyzing={analysis?.status === "running"}
            long={exports.long}
            mayAct={mayAct}
          />
        )}
        {visits !== null && <WatchPanels crawl={crawl} visits={visits} />}
        <Progress crawl={crawl} report={report} />
        {report !== null && <Charts report={report} isMoving={crawl.status === "running"} />}
        <Breakdowns crawl={crawl} report={report} />
        {hosts.length > 0 && <BusyHosts hosts={hosts} />}
        {report !== null && <Newest id={crawl.id} report={report} />}
        {crawl.refused.length > 0 && <RefusedLinks crawl={crawl} />}
        {crawl.fullHosts.length > 0 && <FullHosts crawl={crawl} />}
        {crawl.archive !== null && crawl.archive.leftOut.length > 0 && <LeftOutRecords archive={crawl.archive} />}
        {crawl.slowed.length > 0 && <SlowedPatterns crawl={crawl} />}
      </div>
      <PassPanel crawl={crawl} pass={analysis} price={price} mayAct={mayAct} />
      <ExplainForm id={crawl.id} url="" />
      {mayAct && mayWatch(crawl) && <WatchForm crawl={crawl} typed={refused?.watch ?? null} problems={problems} />}
      {mayAct && (
        <div id="limits-panel" data-live>
          {!hasEnded(crawl) ? (
            <section class="panel">
              <h2>Limits</h2>
              <LimitsForm crawl={crawl} problems={problems} />
            </section>
          ) : (
            skipped > 0 && (
              <section class="panel">
                <h2>Page limit reached</h2>
                <RaiseLimitForm crawl={crawl} problems={problems} skipped={skipped} />
              </section>
            )
          )}
        </div>
      )}
      <Settings crawl={crawl} mayAct={mayAct} own={ownDefaults(c.env)} />
    </Page>
  );
  return render(c, page, refused?.status ?? 200);
}

/** `skipped` is the number of URLs that the page limit left out. */
const Notices: FC<{ crawl: CrawlDetail; skipped: number; mayAct: boolean }> = ({ crawl, skipped, mayAct }) => {
  const { waitingFor, lastFailure, sitemaps, options } = crawl;
  const [problem] = sitemaps.problems;
  return (
    <>
      {waitingFor !== null && !hasEnded(crawl) && <p class="notice">Waiting: {waitingFor}</p>}
      {lastFailure !== null && !hasEnded(crawl) && (
        <p class="notice problem">
          Last failure, <Time at={lastFailure.at} />: {lastFailure.what}
        </p>
      )}
      {hasEnded(crawl) && skipped > 0 && (
        <p class="notice">
          The crawl reached its limit of {plural(options.limit, "page")} and skipped {plural(skipped, "URL")}.{" "}
          {mayAct && <a href="#limits-panel">Raise the limit</a>}
        </p>
      )}
      {crawl.watchesBeside.map((id) => (
        <p class="notice">
          <a href={`/crawls/${id}`}>Another watch</a> has the same seeds. Each asks the hosts for itself, and tells all
          for itself.{mayAct && " If one is enough, cancel the other."}
        </p>
      ))}
      {crawl.shells > 0 && (
        <p class="notice">
          <a href={`/crawls/${crawl.id}/records?browser=needed`}>{plural(crawl.shells, "page")}</a>{" "}
          {crawl.shells === 1 ? "looks" : "look"} empty without scripts, so text may be missing.{" "}
          {options.render === "never"
            ? "A crawl with “Draw pages in a browser: auto” reads it (--render auto)."
            : "There is no browser, or it changed nothing on pages like them."}
        </p>
      )}
      {crawl.model !== null && (
        <p class="notice">
          Values by a model: {spentInWords(crawl.model)}.
          <ModelGaps spent={crawl.model} />
          {options.extract !== null &&
            !hasEnded(crawl) &&
            crawl.watching?.since == null &&
            " The pages are asked about when the crawl has ended."}
          {options.extract !== null &&
            crawl.status === "watching" &&
            crawl.model.calls === 0 &&
            " The pages are asked about within some minutes."}
        </p>
      )}
      {problem !== undefined && (
        <p class="notice">
          {plural(sitemaps.problems.length, "sitemap")} could not be read completely, such as {shortUrl(problem.url)}:{" "}
          {problem.explanation}
        </p>
      )}
    </>
  );
};

const ExplainForm: FC<{ id: string; url: string }> = ({ id, url }) => (
  <section class="panel">
    <form method="get" action={`/crawls/${id}/explain`}>
      <h2>
        <label for="why">Why was a URL crawled or skipped?</label>
      </h2>
      <div class="with-button">
        <UrlInput id="why" name="url" value={url} required />
        <Submit>Explain</Submit>
      </div>
    </form>
  </section>
);

crawlPageRoutes.get("/crawls/:id/explain", async (c) => {
  const at = apiPath(c);
  const url = c.req.query("url") ?? "";
  const crawl = await callApi<CrawlDetail>(c, "GET", at);
  const explained =
    url === "" ? null : await callApi<ExplainView>(c, "GET", `${at}/explain?${new URLSearchParams({ url })}`);
  return render(
    c,
    <Page title="Explain" c={c} section="crawls">
      <CrawlHeading crawl={crawl} />
      <ExplainForm id={crawl.id} url={url} />
      {explained !== null && (
        <section class="panel">
          <p>
            <Verdict of={explained} />
          </p>
          <h2 class="url">{explained.url ?? explained.asWritten}</h2>
          <p class="sentence">{explained.sentence}</p>
          <Steps of={explained} />
        </section>
      )}
    </Page>,
  );
});
