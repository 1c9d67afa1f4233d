import { Hono } from "hono";
import type { Child, FC } from "hono/jsx";
import type { CrawlView, ExplainView } from "../api/views.ts";
import { ApiProblem, callApi, callApiIfThere, type Mistake } from "./call-api.ts";
import { emptyForm, type Filled, first, formLike, requestOf } from "./crawl-form-data.ts";
import { Heading, Page, render } from "./layout.tsx";
import { NewCrawlForm } from "./new-crawl-form.tsx";
import { plural, shortUrl, Time } from "./numbers.tsx";
import type { Console, PageContext } from "./page-context.ts";
import { besideFields } from "./problems.ts";
import { Preview, samplesOf } from "./scope-preview.tsx";

/** Starting a crawl: the form, what it would take, and the start. */

export const newCrawlRoutes = new Hono<Console>();

/** Earlier crawls that are offered to start from. */
const MOST_EARLIER = 10;

newCrawlRoutes.get("/crawls/new", async (c) => {
  const from = c.req.query("from");
  const [like, crawls] = await Promise.all([
    from === undefined ? null : callApiIfThere<CrawlView>(c, "GET", `/api/crawls/${encodeURIComponent(from)}`),
    callApi<CrawlView[]>(c, "GET", "/api/crawls"),
  ]);
  const filled = like === null ? { ...emptyForm(), ...givenIn(c) } : formLike(like, c.env.USER_AGENT);
  return formPage(c, { filled, above: <Earlier like={like} crawls={crawls.slice(0, MOST_EARLIER)} /> });
});

/** What a link that leads to the form says already. */
function givenIn(c: PageContext): Filled {
  const { url, search } = c.req.query();
  return { ...(url === undefined ? {} : { url: [url] }), ...(search === undefined ? {} : { search: [search] }) };
}

const Earlier: FC<{ like: CrawlView | null; crawls: CrawlView[] }> = ({ like, crawls }) => {
  if (like !== null)
    return (
      <p class="notice">
        These are the settings of the crawl of {shortUrl(like.urls[0] ?? "")}, <Time at={like.createdAt} />. Headers, if
        it had any, are shown to nobody: they have to be given anew. <a href="/crawls/new">Begin with none</a>
      </p>
    );
  if (crawls.length === 0) return null;
  return (
    <details class="earlier">
      <summary>Start from an earlier crawl's settings</summary>
      <ul>
        {crawls.map(({ id, urls, createdAt, options }) => (
          <li>
            <a href={`/crawls/new?from=${id}`}>{shortUrl(urls[0] ?? "")}</a>{" "}
            <span class="muted small">
              <Time at={createdAt} />, at most {plural(options.limit, "page")}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
};

newCrawlRoutes.post("/crawls/new", async (c) => {
  const filled = await readForm(c);
  try {
    const { id } = await callApi<{ id: string }>(c, "POST", "/api/crawls", requestOf(filled));
    return c.redirect(`/crawls/${id}`, 303);
  } catch (error) {
    return formPage(c, { filled, mistakes: mistakesOf(error), status: 400 });
  }
});

/** What the form's crawl would decide for a few URLs. The page's script takes the preview out of the page. */
newCrawlRoutes.post("/crawls/new/preview", async (c) => {
  const filled = await readForm(c);
  const crawl = requestOf(filled);
  try {
    const explanations = await Promise.all(
      samplesOf(filled, crawl).map((url) => callApi<ExplainView>(c, "POST", "/api/explain", { url, crawl })),
    );
    return formPage(c, { filled, explanations });
  } catch (error) {
    return formPage(c, { filled, mistakes: mistakesOf(error), wanted: "tried" });
  }
});

interface FormState {
  filled: Filled;
  above?: Child;
  /** What the mistakes were in the way of. */
  wanted?: "started" | "tried";
  mistakes?: Mistake[];
  explanations?: ExplainView[];
  status?: 200 | 400;
}

function formPage(c: PageContext, form: FormState) {
  const { filled, above, mistakes = [], wanted = "started", explanations = [], status = 200 } = form;
  const problems = besideFields(mistakes);
  const elsewhere = problems[""] ?? [];
  return render(
    c,
    <Page title="New crawl" c={c} section="crawls" scripts={["preview.js"]}>
      <Heading title="New crawl" back={{ href: "/crawls", text: "Crawls" }} />
      {mistakes.length > 0 && (
        <p class="notice problem" role="alert">
          {elsewhere.length > 0 ? elsewhere.join(" ") : `Nothing was ${wanted}: see what is marked below.`}
        </p>
      )}
      {above}
      <NewCrawlForm
        filled={filled}
        problems={problems}
        preview={<Preview explanations={explanations} tried={first(filled, "try")} isWrong={mistakes.length > 0} />}
      />
    </Page>,
    status,
  );
}

async function readForm(c: PageContext): Promise<Filled> {
  const body = await c.req.parseBody({ all: true });
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, [value].flat().filter((each) => typeof each === "string")]),
  );
}

/** The mistakes that a person can mend; throws whatever else it is. */
function mistakesOf(error: unknown): Mistake[] {
  if (error instanceof ApiProblem && error.status === 400) return error.mistakes;
  throw error;
}
