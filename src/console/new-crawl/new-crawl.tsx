import { Hono } from "hono";
import type { Child, FC } from "hono/jsx";
import { ApiProblem, type Mistake } from "../../api/requests/api-problem.ts";
import type { CrawlView, ExplainView } from "../../api/views.ts";
import { count } from "../../core/shown-values.ts";
import { callApi, callApiIfThere } from "../call-api.ts";
import { Heading, Page, render } from "../layout.tsx";
import type { Console, PageContext } from "../page-context.ts";
import { shortUrl, Time } from "../parts/numbers.tsx";
import { problemsByField } from "../parts/problems.ts";
import {
  emptyForm,
  type FormValues,
  firstValue,
  formFromCrawl,
  ownDefaults,
  requestFromForm,
} from "./crawl-form-data.ts";
import { NewCrawlForm } from "./new-crawl-form.tsx";
import { readForm } from "./read-form.ts";
import { Preview, samplesOf } from "./scope-preview.tsx";
import { listOf, startListed } from "./start-list.ts";

/** The page that starts a crawl: the form, its scope preview and the start itself. */

export const newCrawlRoutes = new Hono<Console>();

/** The number of earlier crawls whose settings can be copied. */
const MAX_EARLIER = 10;

newCrawlRoutes.get("/crawls/new", async (c) => {
  const from = c.req.query("from");
  const [source, crawls] = await Promise.all([
    from === undefined ? null : callApiIfThere<CrawlView>(c, "GET", `/api/crawls/${encodeURIComponent(from)}`),
    callApi<CrawlView[]>(c, "GET", "/api/crawls"),
  ]);
  const values =
    source === null ? { ...emptyForm(), ...valuesFromQuery(c) } : formFromCrawl(source, ownDefaults(c.env));
  return crawlFormPage(c, {
    values,
    above: (
      <EarlierCrawls
        source={source}
        crawls={crawls.filter(({ purpose }) => purpose === "crawl").slice(0, MAX_EARLIER)}
      />
    ),
  });
});

/** Values that a link to the form fills in. */
function valuesFromQuery(c: PageContext): FormValues {
  const { url, search } = c.req.query();
  return { ...(url === undefined ? {} : { url: [url] }), ...(search === undefined ? {} : { search: [search] }) };
}

/** A browser does not read archives: the command sends them to any installation. */
const ImportHint: FC = () => (
  <p class="muted small">
    To take an archive (WARC, WACZ) or the watches of changedetection.io:{" "}
    <code>orbweaver import FILE --remote ADDRESS</code>
  </p>
);

const EarlierCrawls: FC<{ source: CrawlView | null; crawls: CrawlView[] }> = ({ source, crawls }) => {
  if (source !== null)
    return (
      <p class="notice">
        These are the settings of the crawl of {shortUrl(source.urls[0] ?? "")}, <Time at={source.createdAt} />. Request
        headers are not copied, because they may be secret. <a href="/crawls/new">Start with an empty form</a>
      </p>
    );
  if (crawls.length === 0) return <ImportHint />;
  return (
    <>
      <ImportHint />
      <details class="earlier">
        <summary>Copy the settings of an earlier crawl</summary>
        <ul>
          {crawls.map(({ id, urls, createdAt, options }) => (
            <li>
              <a href={`/crawls/new?from=${id}`}>{shortUrl(urls[0] ?? "")}</a>{" "}
              <span class="muted small">
                <Time at={createdAt} />, page limit {count(options.limit)}
              </span>
            </li>
          ))}
        </ul>
      </details>
    </>
  );
};

newCrawlRoutes.post("/crawls/new", async (c) => {
  const values = await readForm(c);
  try {
    const request = requestFromForm(values);
    const list = await listOf(c);
    const { id } =
      list === null
        ? await callApi<{ id: string }>(c, "POST", "/api/crawls", request)
        : await startListed(c, list, request);
    return c.redirect(`/crawls/${id}`, 303);
  } catch (error) {
    return crawlFormPage(c, { values, mistakes: mistakesOf(error), status: 400 });
  }
});

/** Explains a few URLs with the form's settings. `preview.js` copies the preview out of this page. */
newCrawlRoutes.post("/crawls/new/preview", async (c) => {
  const values = await readForm(c);
  const crawl = requestFromForm(values);
  try {
    const explanations = await Promise.all(
      samplesOf(values, crawl).map((url) => callApi<ExplainView>(c, "POST", "/api/explain", { url, crawl })),
    );
    return crawlFormPage(c, { values, explanations });
  } catch (error) {
    return crawlFormPage(c, { values, mistakes: mistakesOf(error), failed: "The URLs were not tested" });
  }
});

interface FormState {
  values: FormValues;
  above?: Child;
  /** The action that the mistakes prevented. */
  failed?: string;
  mistakes?: Mistake[];
  explanations?: ExplainView[];
  status?: 200 | 400;
}

/** The form with these values. */
export function crawlFormPage(c: PageContext, form: FormState) {
  const { values, above, mistakes = [], failed = "The crawl was not started", explanations = [], status = 200 } = form;
  const problems = problemsByField(mistakes, ["list"]);
  const elsewhere = problems[""] ?? [];
  return render(
    c,
    <Page title="New crawl" c={c} section="crawls" scripts={["preview.js"]}>
      <Heading title="New crawl" back={{ href: "/crawls", text: "Crawls" }} />
      {mistakes.length > 0 && (
        <p class="notice problem" role="alert">
          {elsewhere.length > 0 ? elsewhere.join(" ") : `${failed}. Correct the marked fields.`}
        </p>
      )}
      {above}
      <NewCrawlForm
        values={values}
        problems={problems}
        preview={
          <Preview
            explanations={explanations}
            testedUrls={firstValue(values, "try")}
            hasMistakes={mistakes.length > 0}
          />
        }
      />
    </Page>,
    status,
  );
}

/** The mistakes in the form; rethrows every other error. */
function mistakesOf(error: unknown): Mistake[] {
  if (error instanceof ApiProblem && (error.status === 400 || error.status === 507)) return error.mistakes;
  throw error;
}
