import { Hono } from "hono";
import type { FC } from "hono/jsx";
import { ApiProblem } from "../../api/requests/api-problem.ts";
import type { ExtractView } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import { withScheme } from "../../url/with-scheme.ts";
import { callApi } from "../call-api.ts";
import { Heading, Page, render } from "../layout.tsx";
import { type FormValues, firstValue } from "../new-crawl/crawl-form-data.ts";
import { parseRules } from "../new-crawl/parse-rules.ts";
import { readForm } from "../new-crawl/read-form.ts";
import type { Console, PageContext } from "../page-context.ts";
import { Submit, UrlInput } from "../parts/controls.tsx";
import { FormField, type Problems } from "../parts/field.tsx";
import { sentence } from "../parts/numbers.tsx";
import { MarkedPage, ValueEvidence } from "./value-evidence.tsx";

/** The page that has the installation's model find values in one page, and shows the words that they come from. */

export const valuesPageRoutes = new Hono<Console>();

valuesPageRoutes.get("/crawls/values", (c) => {
  const { url, crawl } = c.req.query();
  return valuesPage(c, {
    ...(url === undefined ? {} : { url: [url] }),
    ...(crawl === undefined ? {} : { crawl: [crawl] }),
  });
});

valuesPageRoutes.post("/crawls/values", async (c) => {
  const values = await readForm(c);
  const written = firstValue(values, "schema").trim();
  const schema = parseRules(written);
  if ("problem" in schema) return valuesPage(c, values, { problems: { schema: [schema.problem] } });
  const request = {
    url: withScheme(firstValue(values, "url")),
    schema: written === "" ? null : schema.rules,
    prompt: firstValue(values, "prompt").trim() || null,
    evidence: firstValue(values, "strict") === "" ? "marked" : "strict",
    ...(firstValue(values, "crawl") === "" ? {} : { crawl: firstValue(values, "crawl") }),
  };
  try {
    return valuesPage(c, values, { view: await callApi<ExtractView>(c, "POST", "/api/extract", request) });
  } catch (error) {
    if (!(error instanceof ApiProblem) || ![400, 404, 409].includes(error.status)) throw error;
    return valuesPage(c, values, { problems: problemsOf(error) });
  }
});

function problemsOf({ mistakes, message }: ApiProblem): Problems {
  const problems: Problems = {};
  for (const { path = "", message } of mistakes) {
    const name = ["schema", "prompt", "url"].find((field) => path.startsWith(field)) ?? "url";
    problems[name] = [...(problems[name] ?? []), sentence(message.replace(/^\w+: /, ""))];
  }
  return mistakes.length === 0 ? { url: [message] } : problems;
}

interface State {
  view?: ExtractView;
  problems?: Problems;
}

const EXAMPLE = '{"type": "object", "properties": {"name": {"type": "string"}, "price": {"type": "number"}}}';

function valuesPage(c: PageContext, values: FormValues, { view, problems = {} }: State = {}) {
  const crawl = firstValue(values, "crawl");
  return render(
    c,
    <Page title="Values by a model" c={c} section="crawls" styles={["records.css"]}>
      <Heading title="Values by a model" back={{ href: "/crawls/new", text: "New crawl" }} />
      <p>
        The model of this installation finds values in a page. Each value has the words of the page that it comes from;
        one without is marked. {crawl === "" ? "One page is fetched for that, and nothing is stored." : ""}
      </p>
      <form class="fields-form" method="post" action="/crawls/values" novalidate>
        <section class="panel">
          {crawl !== "" && <input type="hidden" name="crawl" value={crawl} />}
          <FormField name="url" label="Page" problems={problems}>
            {(described) => <UrlInput id="url" name="url" value={firstValue(values, "url")} required {...described} />}
          </FormField>
          <FormField name="prompt" label="What is wanted" problems={problems} help="In words. A schema alone will do.">
            {(described) => (
              <textarea id="prompt" name="prompt" rows={2} {...described}>
                {firstValue(values, "prompt")}
              </textarea>
            )}
          </FormField>
          <FormField name="schema" label="JSON Schema" problems={problems} help="The names and types of the values.">
            {(described) => (
              <textarea id="schema" name="schema" rows={5} spellcheck={false} placeholder={EXAMPLE} {...described}>
                {firstValue(values, "schema")}
              </textarea>
            )}
          </FormField>
          <label class="check">
            <input type="checkbox" name="strict" value="on" checked={firstValue(values, "strict") !== ""} /> Leave out
            values without evidence
          </label>
          <Submit class="primary">Find values</Submit>
        </section>
      </form>
      {view !== undefined && <Found view={view} />}
    </Page>,
    Object.keys(problems).length > 0 ? 400 : 200,
  );
}

const Found: FC<{ view: ExtractView }> = ({ view: { url, title, text, extracted, spent, problem } }) => (
  <>
    {problem !== null && (
      <p class="notice problem" role="alert">
        There are no values: {problem}.
      </p>
    )}
    {extracted !== null && problem === null && (
      <section class="panel flush" aria-labelledby="values-title">
        <div class="panel-head">
          <h2 id="values-title">Values of this page</h2>
          <p class="muted small">
            {title ?? url}, by {extracted.model} in {plural(spent.calls, "call")} with{" "}
            {count(spent.input + spent.output)} tokens
          </p>
        </div>
        <ValueEvidence extracted={extracted} />
      </section>
    )}
    {text !== null && extracted !== null && (
      <section class="panel" aria-labelledby="page-title">
        <h2 id="page-title">What the model saw</h2>
        <MarkedPage text={text} evidence={extracted.evidence} />
      </section>
    )}
  </>
);
