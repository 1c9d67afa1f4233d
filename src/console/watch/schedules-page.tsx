import { Hono } from "hono";
import type { FC } from "hono/jsx";
import { ApiProblem, type Mistake } from "../../api/requests/api-problem.ts";
import type { ScheduleView } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import { callApi } from "../call-api.ts";
import { Heading, Page, render } from "../layout.tsx";
import type { Console, PageContext } from "../page-context.ts";
import { Submit, UrlInput } from "../parts/controls.tsx";
import { FormField, type Problems } from "../parts/field.tsx";
import { shortUrl, Time } from "../parts/numbers.tsx";
import { problemsByField } from "../parts/problems.ts";
import { type Column, Table } from "../parts/table.tsx";

/** The schedules: when crawls start by themselves. Forms add and remove them, and each makes one API call. */

export const schedulesPageRoutes = new Hono<Console>();

const FIELDS = ["cron", "url", "limit"] as const;
type Values = Partial<Record<(typeof FIELDS)[number], string>>;

schedulesPageRoutes.get("/schedules", (c) => schedulesPage(c, {}, []));

schedulesPageRoutes.post("/schedules", async (c) => {
  const form = await c.req.parseBody();
  const values: Values = Object.fromEntries(
    FIELDS.flatMap((name) => (typeof form[name] === "string" ? [[name, form[name].trim()]] : [])),
  );
  const { cron = "", url = "", limit = "" } = values;
  const crawl = { url, ...(limit === "" ? {} : { limit: Number(limit) }) };
  try {
    await callApi(c, "POST", "/api/schedules", { cron, crawl });
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 400) throw error;
    return schedulesPage(c, values, error.mistakes);
  }
  return c.redirect("/schedules", 303);
});

schedulesPageRoutes.post("/schedules/:id/remove", async (c) => {
  await callApi(c, "DELETE", `/api/schedules/${encodeURIComponent(c.req.param("id"))}`);
  return c.redirect("/schedules", 303);
});

async function schedulesPage(c: PageContext, values: Values, mistakes: Mistake[]): Promise<Response> {
  const schedules = await callApi<ScheduleView[]>(c, "GET", "/api/schedules");
  const mayAct = c.get("access") === "all";
  const problems = problemsByField(mistakes);
  const page = (
    <Page title="Schedules" c={c} section="schedules">
      <Heading title="Schedules" />
      {mistakes.length > 0 && (
        <p class="notice problem" role="alert">
          {problems[""]?.join(" ") ?? "The schedule was not added. Correct the marked fields."}
        </p>
      )}
      {schedules.length === 0 ? (
        <div class="panel empty">
          <h2>No schedules yet</h2>
          <p>A schedule starts a crawl at set times.</p>
        </div>
      ) : (
        <div class="panel flush">
          <Table caption="Schedules" columns={mayAct ? [...COLUMNS, REMOVE] : COLUMNS} rows={schedules} />
        </div>
      )}
      {mayAct && <AddForm values={values} problems={problems} />}
    </Page>
  );
  return render(c, page, mistakes.length > 0 ? 400 : 200);
}

const COLUMNS: Column<ScheduleView>[] = [
  { text: "Seed", cell: ({ urls }) => <Seeds urls={urls} /> },
  { text: "Times (UTC)", class: "nowrap", cell: ({ cron }) => <code>{cron}</code> },
  { text: "Next crawl", class: "mid nowrap", cell: ({ nextAt }) => <Time at={nextAt} /> },
  { text: "Last crawl", class: "mid nowrap", cell: (schedule) => <LastCrawl schedule={schedule} /> },
  { text: "Page limit", class: "number wide", cell: ({ limit }) => count(limit) },
];

const REMOVE: Column<ScheduleView> = {
  text: "Remove",
  head: <span class="visually-hidden">Remove</span>,
  cell: ({ id, urls }) => (
    <form method="post" action={`/schedules/${id}/remove`}>
      <Submit class="danger">
        Remove<span class="visually-hidden"> the schedule of {shortUrl(urls[0] ?? "")}</span>
      </Submit>
    </form>
  ),
};

const Seeds: FC<{ urls: string[] }> = ({ urls: [seed = "", ...others] }) => (
  <>
    <span class="url">{shortUrl(seed)}</span>
    {others.length > 0 && <span class="muted small"> and {plural(others.length, "more seed")}</span>}
  </>
);

const LastCrawl: FC<{ schedule: ScheduleView }> = ({ schedule: { lastCrawlId, lastStartedAt } }) =>
  lastCrawlId === null ? (
    <Time at={lastStartedAt} />
  ) : (
    <a href={`/crawls/${lastCrawlId}`}>
      <Time at={lastStartedAt} />
    </a>
  );

const AddForm: FC<{ values: Values; problems: Problems }> = ({ values, problems }) => (
  <form class="panel" method="post" action="/schedules">
    <h2>Add a schedule</h2>
    <FormField name="url" label="Seed" problems={problems}>
      {(described) => <UrlInput id="url" name="url" value={values.url ?? ""} required {...described} />}
    </FormField>
    <FormField
      name="cron"
      label="Times"
      help="A cron expression in UTC: minute, hour, day of month, month, day of week. “0 3 * * *” is every day at three."
      problems={problems}
    >
      {(described) => (
        <input
          id="cron"
          name="cron"
          type="text"
          value={values.cron ?? "0 3 * * *"}
          required
          spellcheck={false}
          {...described}
        />
      )}
    </FormField>
    <FormField name="limit" label="Page limit" problems={problems}>
      {(described) => (
        <input id="limit" name="limit" type="number" min="1" value={values.limit ?? "100"} {...described} />
      )}
    </FormField>
    <p class="help">
      The command <code>orbweaver schedule add</code> takes all options of a crawl.
    </p>
    <Submit class="primary">Add schedule</Submit>
  </form>
);
