import { Hono } from "hono";
import type { FC } from "hono/jsx";
import { ApiProblem } from "../../api/requests/api-problem.ts";
import type { ClassificationView, CrawlView, MarksView, PassView } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import { apiPath, callApi, callApiIfThere } from "../call-api.ts";
import { CrawlHeading } from "../crawl/crawl-heading.tsx";
import { Page, render } from "../layout.tsx";
import { readForm } from "../new-crawl/read-form.ts";
import type { Console, PageContext } from "../page-context.ts";
import { recordAddress, recordsAddress } from "../parts/addresses.ts";
import { Submit } from "../parts/controls.tsx";
import { shortUrl, Time } from "../parts/numbers.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { PassState, passToShow, REFRESH_S } from "./pass-panel.tsx";

/** The marks of a crawl, the classification that learns from them or from typed examples, and how good it is. */

export const labelsPageRoutes = new Hono<Console>();

type LabelScore = ClassificationView["labels"][number];

labelsPageRoutes.get("/crawls/:id/labels", (c) => labelsPage(c));

/** Without typed examples, the marks are the examples. */
labelsPageRoutes.post("/crawls/:id/labels", async (c) => {
  const { examples: [typed = ""] = [] } = await readForm(c);
  try {
    const examples = readTyped(typed);
    const body = examples.length === 0 ? {} : { examples };
    await callApi(c, "POST", `${apiPath(c)}/classification`, body);
  } catch (error) {
    if (!(error instanceof ApiProblem) || (error.status !== 409 && error.status !== 400)) throw error;
    return labelsPage(c, { message: error.message, status: error.status, typed });
  }
  return c.redirect(`/crawls/${encodeURIComponent(c.req.param("id"))}/labels`, 303);
});

/** A label and a URL on each line: the URL is the last word. The API refuses what is none. */
function readTyped(typed: string): { label: string; url: string }[] {
  const lines = typed.split(/\r?\n/).map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const [, label = "", url = line] = /^"?(.*?)"?[\s,]+(\S+)$/.exec(line) ?? [];
      return { label, url };
    });
}

interface Refused {
  message: string;
  status: 400 | 409;
  /** What was typed, so that it can be corrected. */
  typed: string;
}

async function labelsPage(c: PageContext, refused: Refused | null = null): Promise<Response> {
  const at = apiPath(c);
  const [crawl, passes, found, marks] = await Promise.all([
    callApi<CrawlView>(c, "GET", at),
    callApi<PassView[]>(c, "GET", `${at}/passes`),
    callApiIfThere<ClassificationView>(c, "GET", `${at}/classification`),
    callApi<MarksView>(c, "GET", `${at}/marks`),
  ]);
  const { pass, isRunning, mayStart } = passToShow(c, crawl, passes, "classify");
  return render(
    c,
    <Page title="Labels" c={c} section="crawls" scripts={["live.js"]} styles={["records.css"]}>
      <CrawlHeading crawl={crawl} tab="labels" />
      {refused !== null && (
        <p class="notice problem" role="alert">
          {refused.message}
        </p>
      )}
      <section class="panel" id="labels-pass" data-live data-every={isRunning ? REFRESH_S : undefined}>
        <h2>Label the pages</h2>
        <p>
          {pass === null ? (
            "A model learns labels from examples, and gives each page a label with its confidence."
          ) : (
            <PassState pass={pass} />
          )}
        </p>
        {mayStart && <ExamplesForm crawl={crawl} marks={marks} typed={refused?.typed ?? ""} />}
      </section>
      <div id="labels" data-live>
        {found !== null && <Scores crawl={crawl} found={found} />}
      </div>
      <Marks crawl={crawl} marks={marks} />
    </Page>,
    refused?.status ?? 200,
  );
}

const ExamplesForm: FC<{ crawl: CrawlView; marks: MarksView; typed: string }> = ({ crawl, marks, typed }) => {
  const marked = Object.entries(marks.labels).filter(([, pages]) => pages > 1);
  return (
    <form class="examples" method="post" action={`/crawls/${crawl.id}/labels`}>
      <div class="field">
        <label for="examples">
          Examples: a label and a URL on each line{marked.length > 1 && ". Leave it empty to use the marks"}
        </label>
        <textarea
          id="examples"
          name="examples"
          rows={6}
          spellcheck={false}
          placeholder="tutorial https://example.com/first-steps"
        >
          {typed}
        </textarea>
      </div>
      <p class="muted small">At least two pages of each label; ten are usually enough.</p>
      <Submit class="primary">Label all pages</Submit>
    </form>
  );
};

const Scores: FC<{ crawl: CrawlView; found: ClassificationView }> = ({ crawl, found }) => {
  const { labels, macro, folds, byMarks, missing, classifiedAt } = found;
  const examples = labels.reduce((sum, each) => sum + each.examples, 0);
  return (
    <>
      <p class="notice">
        Cross-validation in {folds} folds over {plural(examples, byMarks ? "mark" : "example")}: F1{" "}
        {macro.f1.toFixed(2)}, precision {macro.precision.toFixed(2)}, recall {macro.recall.toFixed(2)} (means over the
        labels). <Time at={classifiedAt} />
      </p>
      {missing.length > 0 && (
        <details class="notice">
          <summary>{plural(missing.length, "example")} left out: no completed pages of this crawl</summary>
          <ul class="found">
            {missing.map((url) => (
              <li class="url">{url}</li>
            ))}
          </ul>
        </details>
      )}
      <div class="panel flush">
        <Table caption="Labels" columns={scoreColumns(crawl)} rows={labels} />
      </div>
    </>
  );
};

function scoreColumns(crawl: CrawlView): Column<LabelScore>[] {
  const ratio = (value: number | null) => (value === null ? "–" : value.toFixed(2));
  return [
    { text: "Label", cell: ({ label }) => <a href={recordsAddress(crawl, { label })}>{label}</a> },
    { text: "Pages", class: "number", cell: ({ pages }) => count(pages) },
    { text: "Examples", class: "number mid", cell: ({ examples }) => count(examples) },
    { text: "Precision", class: "number mid", cell: ({ precision }) => ratio(precision) },
    { text: "Recall", class: "number mid", cell: ({ recall }) => ratio(recall) },
    { text: "F1", class: "number", cell: ({ f1 }) => ratio(f1) },
  ];
}

/** More are listed by the command line and the API. */
const MAX_MARKS = 200;

const Marks: FC<{ crawl: CrawlView; marks: MarksView }> = ({ crawl, marks: { marks, labels } }) => (
  <section class="panel">
    <h2>Marks</h2>
    {marks.length === 0 ? (
      <p class="muted">
        Nobody has marked a page. Mark pages in the list of <a href={recordsAddress(crawl, {})}>records</a>, or on the
        page of a record.
      </p>
    ) : (
      <>
        <p>
          {Object.entries(labels).map(([label, pages]) => (
            <>
              <span class="tag">
                {label}: {count(pages)}
              </span>{" "}
            </>
          ))}
        </p>
        <ul class="found">
          {marks.slice(0, MAX_MARKS).map(({ url, label }) => (
            <li>
              <span class="tag">{label}</span>
              <a class="url" href={recordAddress(crawl.id, url)}>
                {shortUrl(url)}
              </a>
            </li>
          ))}
        </ul>
        {marks.length > MAX_MARKS && (
          <p class="muted small">
            All of them: <code>orbweaver marked {crawl.id}</code>
          </p>
        )}
      </>
    )}
  </section>
);
