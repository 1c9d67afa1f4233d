import { Hono } from "hono";
import type { FC } from "hono/jsx";
import { ApiProblem } from "../../api/requests/api-problem.ts";
import type { FieldsView } from "../../api/views.ts";
import { withScheme } from "../../url/with-scheme.ts";
import { callApi } from "../call-api.ts";
import { Heading, Page, render } from "../layout.tsx";
import { emptyForm, type FormValues, firstValue } from "../new-crawl/crawl-form-data.ts";
import { addPicked, pickedFields, writeRules } from "../new-crawl/field-rules-form.ts";
import { crawlFormPage } from "../new-crawl/new-crawl.tsx";
import { parseRules } from "../new-crawl/parse-rules.ts";
import { readForm } from "../new-crawl/read-form.ts";
import type { Console, PageContext } from "../page-context.ts";
import { Submit, UrlInput } from "../parts/controls.tsx";
import { FormField, type Problems } from "../parts/field.tsx";
import { sentence } from "../parts/numbers.tsx";
import { FieldProposals } from "./field-proposals.tsx";
import { FieldReadings } from "./field-readings.tsx";

/** The page that reads fields from one page: rules are chosen from its elements, checked, and taken to a crawl. */

export const fieldsPageRoutes = new Hono<Console>();

fieldsPageRoutes.get("/crawls/fields", (c) => {
  const { url, fields } = c.req.query();
  return fieldsPage(c, {
    ...(url === undefined ? {} : { url: [url] }),
    ...(fields === undefined ? {} : { fields: [fields] }),
  });
});

fieldsPageRoutes.post("/crawls/fields", async (c) => {
  const values = await readForm(c);
  const rules = parseRules(firstValue(values, "fields"));
  if ("problem" in rules) return fieldsPage(c, values, { problems: { fields: [rules.problem] } });
  const fields = addPicked(rules.rules, pickedFields(values), firstValue(values, "group"));
  const shown = { ...values, fields: [writeRules(fields)] };
  try {
    const request = { url: withScheme(firstValue(values, "url")), fields, propose: true };
    return fieldsPage(c, shown, { view: await callApi<FieldsView>(c, "POST", "/api/fields", request) });
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 400) throw error;
    return fieldsPage(c, shown, { problems: problemsOf(error) });
  }
});

/** The form of a new crawl with these fields. */
fieldsPageRoutes.post("/crawls/fields/crawl", async (c) => {
  const values = await readForm(c);
  const kept = Object.fromEntries(["url", "fields"].map((name) => [name, [firstValue(values, name)]]));
  return crawlFormPage(c, { values: { ...emptyForm(), ...kept } });
});

function problemsOf({ mistakes }: ApiProblem): Problems {
  const problems: Problems = {};
  for (const { path = "", message } of mistakes) {
    const name = path.startsWith("fields") ? "fields" : "url";
    // The rules are a list of groups; one object is its first one.
    const text = sentence(message.replace(/^fields\.0\.fields\./, "").replace(/^url: /, ""));
    problems[name] = [...(problems[name] ?? []), text];
  }
  return problems;
}

interface State {
  view?: FieldsView;
  problems?: Problems;
}

function fieldsPage(c: PageContext, values: FormValues, { view, problems = {} }: State = {}) {
  const hasRules = firstValue(values, "fields") !== "";
  return render(
    c,
    <Page title="Fields" c={c} section="crawls" styles={["records.css"]}>
      <Heading title="Fields" back={{ href: "/crawls/new", text: "New crawl" }} />
      <p>
        Rules read values such as prices from each page of a crawl. Read a page, choose what you want of it, and start
        the crawl with these fields. One page is fetched for that, and nothing is stored.
      </p>
      <form class="fields-form" method="post" action="/crawls/fields" novalidate>
        <section class="panel">
          <FormField name="url" label="Page" problems={problems} help="A typical page, such as one product of a shop.">
            {(described) => (
              <div class="with-button">
                <UrlInput id="url" name="url" value={firstValue(values, "url")} required {...described} />
                <Submit class={hasRules ? "" : "primary"}>Read page</Submit>
              </div>
            )}
          </FormField>
          <RulesInput values={values} problems={problems} />
        </section>
        {view?.problem != null && (
          <p class="notice problem" role="alert">
            The page was not read: {view.problem}.
          </p>
        )}
        {view !== undefined && view.problem === null && <Read view={view} hasRules={hasRules} />}
      </form>
    </Page>,
    Object.keys(problems).length > 0 ? 400 : 200,
  );
}

const RulesInput: FC<{ values: FormValues; problems: Problems }> = ({ values, problems }) => (
  <FormField
    name="fields"
    label="Rules"
    problems={problems}
    help="JSON: fields by name, each with “schema”, “selector”, “attribute” and “as”. What you choose below is added."
  >
    {(described) => (
      <textarea id="fields" name="fields" rows={rowsOf(firstValue(values, "fields"))} spellcheck={false} {...described}>
        {firstValue(values, "fields")}
      </textarea>
    )}
  </FormField>
);

function rowsOf(text: string): number {
  return Math.min(20, Math.max(3, text.split("\n").length));
}

const Read: FC<{ view: FieldsView; hasRules: boolean }> = ({ view, hasRules }) => (
  <>
    {hasRules && (
      <section class="panel flush" aria-labelledby="values-title">
        <div class="panel-head">
          <h2 id="values-title">Fields of this page</h2>
          <p class="muted small">{view.title ?? view.url}</p>
        </div>
        <FieldReadings fields={view.fields} />
        <p class="panel-foot">
          <Submit class="primary" formaction="/crawls/fields/crawl">
            Go on to a crawl with these fields
          </Submit>
        </p>
      </section>
    )}
    <section class="panel flush" aria-labelledby="proposals-title">
      <div class="panel-head">
        <h2 id="proposals-title">Choose fields</h2>
        <p class="muted small">
          What the page declares for programs comes first: it stays when a design changes. Then its elements.
        </p>
      </div>
      <FieldProposals proposals={view.proposals} />
    </section>
  </>
);
