import { Hono } from "hono";
import type { FC } from "hono/jsx";
import { ApiProblem, type Mistake } from "../../api/requests/api-problem.ts";
import type { CrawlView, DeliveriesPage, DeliveryView, NewWebhookView, WebhookView } from "../../api/views.ts";
import { count } from "../../core/shown-values.ts";
import { NOTICE_EVENTS } from "../../crawl/watch/notice.ts";
import { apiPath, callApi } from "../call-api.ts";
import { CrawlHeading } from "../crawl/crawl-heading.tsx";
import { Page, render } from "../layout.tsx";
import type { Console, PageContext } from "../page-context.ts";
import { Submit, UrlInput } from "../parts/controls.tsx";
import { FieldGroup, FormField, type Problems } from "../parts/field.tsx";
import { sentence, shortUrl, Time } from "../parts/numbers.tsx";
import { type Column, Table } from "../parts/table.tsx";

/** A crawl's webhooks and their deliveries. Forms add, test and remove webhooks, and each makes one API call. */

export const webhooksPageRoutes = new Hono<Console>();

/** What a form of the page led to. */
interface Outcome {
  /** The webhook that was just added: the only time that its secret is shown. */
  added?: NewWebhookView;
  typed?: string;
  mistakes?: Mistake[];
}

webhooksPageRoutes.get("/crawls/:id/webhooks", (c) => webhooksPage(c, {}));

/** It answers with the page itself, not with a redirect: no address may hold the secret. */
webhooksPageRoutes.post("/crawls/:id/webhooks", async (c) => {
  const form = await c.req.parseBody({ all: true });
  const url = typeof form.url === "string" ? form.url.trim() : "";
  const events = [form.events ?? []].flat();
  try {
    const added = await callApi<NewWebhookView>(c, "POST", `${apiPath(c)}/webhooks`, {
      url,
      events: events.length === 0 ? null : events,
    });
    return webhooksPage(c, { added });
  } catch (error) {
    if (!(error instanceof ApiProblem) || (error.status !== 400 && error.status !== 409)) throw error;
    return webhooksPage(c, { typed: url, mistakes: error.mistakes });
  }
});

webhooksPageRoutes.post("/crawls/:id/webhooks/:webhook/test", async (c) => {
  await callApi(c, "POST", `${apiPath(c)}/webhooks/${encodeURIComponent(c.req.param("webhook"))}/test`);
  return back(c);
});

webhooksPageRoutes.post("/crawls/:id/webhooks/:webhook/remove", async (c) => {
  await callApi(c, "DELETE", `${apiPath(c)}/webhooks/${encodeURIComponent(c.req.param("webhook"))}`);
  return back(c);
});

webhooksPageRoutes.post("/crawls/:id/deliveries/:delivery/redeliver", async (c) => {
  await callApi(c, "POST", `${apiPath(c)}/deliveries/${encodeURIComponent(c.req.param("delivery"))}/redeliver`);
  return back(c);
});

function back(c: PageContext): Response {
  return c.redirect(`/crawls/${encodeURIComponent(c.req.param("id") ?? "")}/webhooks`, 303);
}

async function webhooksPage(c: PageContext, { added, typed = "", mistakes = [] }: Outcome): Promise<Response> {
  const at = apiPath(c);
  const cursor = c.req.query("cursor") ?? "";
  const [crawl, webhooks, page] = await Promise.all([
    callApi<CrawlView>(c, "GET", at),
    callApi<WebhookView[]>(c, "GET", `${at}/webhooks`),
    callApi<DeliveriesPage>(c, "GET", `${at}/deliveries?${new URLSearchParams({ cursor })}`),
  ]);
  const mayAct = c.get("access") === "all";
  const receivers = new Map(webhooks.map(({ id, url }) => [id, url]));
  const more = page.cursor === null ? null : `?${new URLSearchParams({ cursor: page.cursor })}`;
  return render(
    c,
    <Page title="Webhooks" c={c} section="crawls">
      <CrawlHeading crawl={crawl} tab="webhooks" />
      {added !== undefined && <Secret added={added} />}
      {webhooks.length === 0 ? (
        <div class="panel empty">
          <h2>No webhooks yet</h2>
          <p>A webhook is told when the crawl ends or is paused, and what a watch notices.</p>
        </div>
      ) : (
        <section class="panel flush">
          <Table caption="Webhooks" columns={webhookColumns(crawl.id, mayAct)} rows={webhooks} />
        </section>
      )}
      {page.deliveries.length > 0 && (
        <section class="panel flush" id="deliveries">
          <Table caption="Deliveries" columns={deliveryColumns(crawl.id, receivers, mayAct)} rows={page.deliveries} />
        </section>
      )}
      {more !== null && (
        <p>
          <a href={more}>Older deliveries</a>
        </p>
      )}
      {mayAct && <AddForm id={crawl.id} url={typed} problems={problemsOf(mistakes)} />}
    </Page>,
    mistakes.length > 0 ? 400 : 200,
  );
}

function problemsOf(mistakes: Mistake[]): Problems {
  return { ...(mistakes.length > 0 ? { url: mistakes.map(({ message }) => sentence(message)) } : {}) };
}

const Secret: FC<{ added: NewWebhookView }> = ({ added }) => (
  <div class="notice" role="status">
    <p>
      The webhook is added. Its secret is shown this once: <code>{added.secret}</code>
    </p>
    <p>The receiver needs it to check the signatures of notices.</p>
  </div>
);

function webhookColumns(id: string, mayAct: boolean): Column<WebhookView>[] {
  const columns: Column<WebhookView>[] = [
    { text: "URL", cell: ({ url }) => <span class="url">{shortUrl(url)}</span> },
    { text: "Events", class: "mid", cell: ({ events }) => events?.join(", ") ?? "All" },
    {
      text: "State",
      cell: ({ disabledAt, disabledWhy }) =>
        disabledAt === null ? (
          "Enabled"
        ) : (
          <>
            Disabled <Time at={disabledAt} />: {disabledWhy}
          </>
        ),
    },
  ];
  if (!mayAct) return columns;
  const actions: Column<WebhookView> = {
    text: "Actions",
    head: <span class="visually-hidden">Actions</span>,
    cell: ({ id: webhook, url }) => (
      <div class="actions end">
        <form method="post" action={`/crawls/${id}/webhooks/${webhook}/test`}>
          <Submit>
            Send test<span class="visually-hidden"> notice to {shortUrl(url)}</span>
          </Submit>
        </form>
        <form method="post" action={`/crawls/${id}/webhooks/${webhook}/remove`}>
          <Submit class="danger">
            Remove<span class="visually-hidden"> the webhook to {shortUrl(url)}</span>
          </Submit>
        </form>
      </div>
    ),
  };
  return [...columns, actions];
}

const STATUS_TEXTS: Record<DeliveryView["status"], string> = {
  waiting: "Waiting",
  sending: "Sending",
  delivered: "Delivered",
  "given-up": "Given up",
};

function deliveryColumns(id: string, receivers: ReadonlyMap<string, string>, mayAct: boolean): Column<DeliveryView>[] {
  const columns: Column<DeliveryView>[] = [
    { text: "Event", class: "nowrap", cell: ({ event }) => <code>{event}</code> },
    { text: "Time", class: "nowrap", cell: ({ madeAt }) => <Time at={madeAt} /> },
    {
      text: "To",
      class: "wide",
      cell: ({ webhookId }) => <span class="url">{shortUrl(receivers.get(webhookId) ?? "")}</span>,
    },
    { text: "State", cell: (delivery) => <State of={delivery} /> },
    { text: "Attempts", class: "number mid", cell: ({ attempts }) => count(attempts) },
  ];
  if (!mayAct) return columns;
  const redeliver: Column<DeliveryView> = {
    text: "Send again",
    head: <span class="visually-hidden">Send again</span>,
    cell: ({ id: delivery, event }) => (
      <form method="post" action={`/crawls/${id}/deliveries/${delivery}/redeliver`}>
        <Submit>
          Send again<span class="visually-hidden"> {event}</span>
        </Submit>
      </form>
    ),
  };
  return [...columns, redeliver];
}

const State: FC<{ of: DeliveryView }> = ({ of: { status, nextAt, detail } }) => (
  <>
    {STATUS_TEXTS[status]}
    {detail !== null && <span class="muted small">: {detail}</span>}
    {nextAt !== null && (
      <span class="muted small">
        {" "}
        (next attempt <Time at={nextAt} />)
      </span>
    )}
  </>
);

const AddForm: FC<{ id: string; url: string; problems: Problems }> = ({ id, url, problems }) => (
  <form class="panel" method="post" action={`/crawls/${id}/webhooks`}>
    <h2>Add a webhook</h2>
    <FormField name="url" label="URL" help="Notices are signed POST requests to this URL." problems={problems}>
      {(described) => <UrlInput id="url" name="url" value={url} required {...described} />}
    </FormField>
    <FieldGroup
      name="events"
      label="Events"
      help="None selected means all events except crawl.started and crawl.page."
      problems={problems}
    >
      {() => (
        <div class="choices">
          {NOTICE_EVENTS.map((event) => (
            <label class="check">
              <input type="checkbox" name="events" value={event} />
              {event}
            </label>
          ))}
        </div>
      )}
    </FieldGroup>
    <Submit class="primary">Add webhook</Submit>
  </form>
);
