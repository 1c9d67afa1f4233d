import { Hono } from "hono";
import type { FC } from "hono/jsx";
import { ApiProblem } from "../../api/requests/api-problem.ts";
import type { CrawlView, ExtractionView, PassView } from "../../api/views.ts";
import { plural, spentInWords } from "../../core/shown-values.ts";
import { apiPath, callApi } from "../call-api.ts";
import { CrawlHeading } from "../crawl/crawl-heading.tsx";
import { Page, render } from "../layout.tsx";
import type { Console, PageContext } from "../page-context.ts";
import { recordAddress } from "../parts/addresses.ts";
import { Submit } from "../parts/controls.tsx";
import { shortUrl } from "../parts/numbers.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { PassState, passToShow, REFRESH_S } from "./pass-panel.tsx";
import { MarkedPage, ValueEvidence } from "./value-evidence.tsx";

/** The extraction of a crawl: what it looks for and has spent, the rules that it made, and pages with their values. */

export const extractionPageRoutes = new Hono<Console>();

type Section = ExtractionView["sections"][number];
type Rule = Section["rules"][number];
type ValuedPage = ExtractionView["pages"][number];

extractionPageRoutes.get("/crawls/:id/values", (c) => extractionPage(c));

extractionPageRoutes.post("/crawls/:id/values", async (c) => {
  try {
    await callApi(c, "POST", `${apiPath(c)}/extraction`);
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 409) throw error;
    return extractionPage(c, error.message);
  }
  return c.redirect(valuesAddress(c.req.param("id")), 303);
});

function valuesAddress(id: string, url?: string): string {
  const page = url === undefined ? "" : `?${new URLSearchParams({ url })}`;
  return `/crawls/${encodeURIComponent(id)}/values${page}`;
}

async function extractionPage(c: PageContext, problem: string | null = null): Promise<Response> {
  const at = apiPath(c);
  const { url } = c.req.query();
  const query = url === undefined ? "" : `?${new URLSearchParams({ url })}`;
  const [crawl, passes, extraction] = await Promise.all([
    callApi<CrawlView>(c, "GET", at),
    callApi<PassView[]>(c, "GET", `${at}/passes`),
    callApi<ExtractionView>(c, "GET", `${at}/extraction${query}`),
  ]);
  const { pass, isRunning, mayStart } = passToShow(c, crawl, passes, "extract");
  return render(
    c,
    <Page title="Values" c={c} section="crawls" scripts={["live.js"]} styles={["records.css"]}>
      <CrawlHeading crawl={crawl} tab="values" />
      {problem !== null && (
        <p class="notice problem" role="alert">
          {problem}
        </p>
      )}
      <section class="panel spaced" id="extract-pass" data-live data-every={isRunning ? REFRESH_S : undefined}>
        <h2>What is looked for</h2>
        <Sought extraction={extraction} />
        <Spent spent={extraction.spent} />
        <p>{pass === null ? "The model is asked when the crawl has ended." : <PassState pass={pass} />}</p>
        {mayStart && (
          <form method="post" action={valuesAddress(crawl.id)}>
            <Submit>Ask about pages that are left</Submit>
          </form>
        )}
      </section>
      {extraction.page !== null && <OnePage crawl={crawl} page={extraction.page} />}
      {url !== undefined && extraction.page === null && (
        <p class="notice">Nothing was found in {shortUrl(url)}: the model was not asked about it yet.</p>
      )}
      <Sample crawl={crawl} pages={extraction.pages} shown={extraction.page?.url ?? null} />
      {extraction.sections.map((section) => (
        <SectionRules crawl={crawl} section={section} />
      ))}
    </Page>,
    problem === null ? 200 : 409,
  );
}

const Sought: FC<{ extraction: ExtractionView }> = ({ extraction: { schema, prompt, evidence, by } }) => (
  <>
    {prompt !== null && (
      <p>
        <q>{prompt}</q>
      </p>
    )}
    {schema != null && (
      <details open={prompt === null}>
        <summary>The JSON Schema</summary>
        <pre class="marked-page" tabindex={0}>
          {JSON.stringify(schema, null, 2)}
        </pre>
      </details>
    )}
    <p class="muted small">
      {by === "model" ? "The model reads each page." : "The model reads some pages of each section, and makes rules."}{" "}
      {evidence === "strict" ? "Values without evidence are left out." : "Values without evidence are marked."}
    </p>
  </>
);

const Spent: FC<{ spent: ExtractionView["spent"] }> = ({ spent }) =>
  spent === null ? null : (
    <p>
      Spent so far: {spentInWords(spent)}.{spent.costUsd === null && " There are no prices."}
      <ModelGaps spent={spent} />
    </p>
  );

/** Which pages the model has not read. */
export const ModelGaps: FC<{ spent: NonNullable<ExtractionView["spent"]> }> = ({ spent }) => (
  <>
    {spent.failedPages > 0 &&
      ` The model failed on ${plural(spent.failedPages, "page")}: ${spent.problem}. “Ask about pages that are left” asks again.`}
    {spent.leftPages > 0 &&
      ` Its limit left out ${plural(spent.leftPages, "page")}: “orbweaver extract” with the crawl's id and --model-calls or --model-cost sets another one.`}
  </>
);

const OnePage: FC<{ crawl: CrawlView; page: NonNullable<ExtractionView["page"]> }> = ({ crawl, page }) => {
  const { url, title, text, extracted } = page;
  return (
    <>
      <section class="panel flush" id="page" aria-labelledby="values-title">
        <div class="panel-head">
          <h2 id="values-title">Values of {title ?? shortUrl(url)}</h2>
          <p class="muted small">
            <a href={recordAddress(crawl.id, url)}>{shortUrl(url)}</a>, by{" "}
            {extracted.rules === undefined
              ? extracted.model
              : `rules for ${extracted.rules.section}, made of what ${extracted.model} found`}
          </p>
        </div>
        {extracted.problem === null ? (
          <ValueEvidence extracted={extracted} />
        ) : (
          <p class="panel-foot problem">There are no values: {extracted.problem}.</p>
        )}
      </section>
      {text !== null && (
        <section class="panel" aria-labelledby="text-title">
          <h2 id="text-title">Where they stand in the page</h2>
          <MarkedPage text={text} evidence={extracted.evidence} />
        </section>
      )}
    </>
  );
};

/** Up to 20 pages; one of them may be shown in full above. */
const Sample: FC<{ crawl: CrawlView; pages: ValuedPage[]; shown: string | null }> = ({ crawl, pages, shown }) => (
  <section class="panel flush" aria-labelledby="sample-title">
    <div class="panel-head">
      <h2 id="sample-title">Some pages with their values</h2>
      <p class="muted small">
        {pages.length === 0 ? "There are none yet." : "Choose one to see where its values stand."}{" "}
        <a href={`/crawls/${crawl.id}/export`}>Export all values</a>
      </p>
    </div>
    {pages.length > 0 && (
      <Table
        caption="Some pages with their values"
        columns={[
          {
            text: "Page",
            cell: ({ url }) => (
              <a href={`${valuesAddress(crawl.id, url)}#page`} aria-current={url === shown ? "true" : undefined}>
                {shortUrl(url)}
              </a>
            ),
          },
          { text: "Values", cell: ({ extracted }) => <ValuesInLine extracted={extracted} /> },
          {
            text: "By",
            class: "mid",
            cell: ({ extracted }) => (extracted.rules === undefined ? extracted.model : "rules"),
          },
        ]}
        rows={pages}
      />
    )}
  </section>
);

const MAX_LINE = 160;

const ValuesInLine: FC<{ extracted: ValuedPage["extracted"] }> = ({ extracted: { values, evidence, problem } }) => {
  const lacking = evidence.filter((each) => each.problem !== null).length;
  const text = describeValues(values);
  if (problem !== null) return <span class="problem">None: {problem}</span>;
  return (
    <>
      {text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text}
      {lacking > 0 && <span class="problem"> {plural(lacking, "value")} without evidence</span>}
    </>
  );
};

/** Those that are there, for people. */
function describeValues(values: unknown): string {
  if (typeof values !== "object" || values === null || Array.isArray(values)) return JSON.stringify(values) ?? "";
  const there = Object.entries(values).filter(([, value]) => value !== null);
  const textOf = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value));
  const shown = there.map(
    ([name, value]) => `${name}: ${Array.isArray(value) ? value.map(textOf).join(", ") : textOf(value)}`,
  );
  return shown.length === 0 ? "none" : shown.join("; ");
}

const RULE_COLUMNS: Column<Rule>[] = [
  { text: "Value", class: "of-field", cell: ({ name }) => <code>{name}</code> },
  {
    text: "Read from",
    cell: ({ rules }) => (
      <>
        {rules.map((rule, i) => (
          <>
            {i > 0 && <span class="muted"> or </span>}
            <code>
              {rule.schema ?? rule.selector ?? ""}
              {rule.attribute === undefined ? "" : ` @${rule.attribute}`}
            </code>
          </>
        ))}
      </>
    ),
  },
  { text: "As", class: "mid", cell: ({ rules }) => rules[0]?.as ?? "text" },
  {
    text: "Words",
    class: "mid",
    cell: ({ words }) =>
      words === null
        ? "as they are"
        : Object.entries(words)
            .map(([word, value]) => `${word}: ${JSON.stringify(value)}`)
            .join(", "),
  },
];

const SectionRules: FC<{ crawl: CrawlView; section: Section }> = ({ crawl, section }) => (
  <section class="panel flush">
    <div class="panel-head">
      <h2>
        Rules for <code>{section.section}</code>
      </h2>
      <p class="muted small">
        {plural(section.read, "page")} read by rules, of {plural(section.version, "version")}; made of{" "}
        {section.samples.slice(0, 3).map((url, i) => (
          <>
            {i > 0 && ", "}
            <a href={`${valuesAddress(crawl.id, url)}#page`}>{shortUrl(url)}</a>
          </>
        ))}
        {section.samples.length > 3 && ` and ${section.samples.length - 3} more`}
      </p>
      {section.unread.length > 0 && (
        <p class="small">No rule reads {section.unread.join(", ")}, so the model reads each page of the section.</p>
      )}
    </div>
    {section.rules.length > 0 && <Table caption="Rules" columns={RULE_COLUMNS} rows={section.rules} />}
  </section>
);
