import { Hono } from "hono";
import type { CrawlView, ExplainView } from "../api/views.ts";
import { ApiProblem, callApi, callApiIfThere, type Mistake } from "./call-api.ts";
import { fieldGroups } from "./crawl-fields.ts";
import { emptyForm, type Filled, first, formLike, requestOf } from "./crawl-form-data.ts";
import { Heading, Page, render } from "./layout.tsx";
import { NewCrawlForm, type Problems } from "./new-crawl-form.tsx";
import { count } from "./numbers.tsx";
import type { Console, PageContext } from "./page-context.ts";
import { Preview, samplesOf } from "./scope-preview.tsx";

/** Starting a crawl: the form, what it would take, and the start. */

export const newCrawlRoutes = new Hono<Console>();

newCrawlRoutes.get("/crawls/new", async (c) => {
  const from = c.req.query("from");
  const like =
    from === undefined ? null : await callApiIfThere<CrawlView>(c, "GET", `/api/crawls/${encodeURIComponent(from)}`);
  const filled = like === null ? { ...emptyForm(), url: [c.req.query("url") ?? ""] } : formLike(like);
  return formPage(c, { filled });
});

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
    return formPage(c, { filled, mistakes: mistakesOf(error) });
  }
});

interface FormState {
  filled: Filled;
  mistakes?: Mistake[];
  explanations?: ExplainView[];
  status?: 200 | 400;
}

function formPage(c: PageContext, { filled, mistakes = [], explanations = [], status = 200 }: FormState) {
  const problems = besideFields(mistakes);
  const elsewhere = problems[""] ?? [];
  return render(
    c,
    <Page title="New crawl" c={c} section="crawls" scripts={["preview.js"]}>
      <Heading title="New crawl" back={{ href: "/crawls", text: "Crawls" }} />
      {mistakes.length > 0 && (
        <p class="notice problem" role="alert">
          {elsewhere.length > 0 ? elsewhere.join(" ") : "Nothing was started: see what is marked below."}
        </p>
      )}
      <NewCrawlForm
        filled={filled}
        problems={problems}
        preview={<Preview explanations={explanations} tried={first(filled, "try")} />}
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

/** By the field in whose parameter they are, under "" those of none. */
function besideFields(mistakes: Mistake[]): Problems {
  const fields = fieldGroups().flatMap((group) => group.fields);
  const problems: Problems = {};
  for (const { path = "", message } of mistakes) {
    // What explain is asked holds the crawl inside.
    const at = path.replace(/^crawl\./, "");
    const field = fields.find(({ name }) => at === name || at.startsWith(`${name}.`));
    const name = field?.name ?? (at === "url" || at === "limit" ? at : "");
    const range = field ?? (at === "limit" ? { kind: "integer", min: 1, max: 10_000_000 } : { kind: "text" });
    const sentence = rangeOf(range) ?? message.replace(`${path}: `, "");
    problems[name] = [...(problems[name] ?? []), sentence.charAt(0).toUpperCase() + sentence.slice(1)];
  }
  return problems;
}

function rangeOf({ kind, min, max }: { kind: string; min?: number; max?: number }): string | undefined {
  if (kind !== "integer" && kind !== "number") return undefined;
  const what = kind === "integer" ? "A whole number" : "A number";
  return min === undefined || max === undefined ? `${what}.` : `${what} from ${count(min)} to ${count(max)}.`;
}
