import { Hono } from "hono";
import type { FC } from "hono/jsx";
import { ApiProblem, type Mistake } from "../../api/requests/api-problem.ts";
import type { CrawlView, DeliveriesPage, DeliveryView, NewWebhookView, WebhookView } from "../../api/views.ts";
import { count } from "../../core/shown-values.ts";
import { apiPath, callApi } from "../call-api.ts";
import { CrawlHeading } from "../crawl/crawl-heading.tsx";
import { Page, render } from "../layout.tsx";
import type { Console, PageContext } from "../page-context.ts";
import { Submit } from "../parts/controls.tsx";
import { shortUrl, Time } from "../parts/numbers.tsx";
import { type Column, Table } from "../parts/table.tsx";
import {
  EMPTY_FORM,
  formOfWebhook,
  problemsOf,
  readWebhookForm,
  requestOfForm,
  type WebhookForm,
  WebhookFormPanel,
} from "./webhook-form.tsx";

/** A crawl's webhooks and their deliveries. Forms add, test and remove webhooks, and each makes one API call. */

export const webhooksPageRoutes = new Hono<Console>();

/** What a form of the page led to. */
interface Outcome {
  /** The webhook that was just added: the only time that its secret is shown. */
  added?: NewWebhookView;
  typed?: WebhookForm;
  mistakes?: Mistake[];
  /** The webhook whose form is shown. */
  changing?: string;
}

webhooksPageRoutes.get("/crawls/:id/webhooks", (c) => {
  const changing = c.req.query("change");
  return webhooksPage(c, changing === undefined ? {} : { changing });
});

/** It answers with the page itself, not with a redirect: no address may hold the secret. */
webhooksPageRoutes.post("/crawls/:id/webhooks", async (c) => {
  const typed = readWebhookForm(await c.req.parseBody({ all: true }));
  try {
    const added = await callApi<NewWebhookView>(c, "POST", `${apiPath(c)}/webhooks`, requestOfForm(typed));
    return webhooksPage(c, { added });
  } catch (error) {
    return refused(c, error, typed);
  }
});

/** Changes a webhook. Headers that are not typed stay, because the page does not show them. */
webhooksPageRoutes.post("/crawls/:id/webhooks/:webhook/update", async (c) => {
  const typed = readWebhookForm(await c.req.parseBody({ all: true }));
  const webhook = c.req.param("webhook");
  try {
    const { headers, ...changes } = requestOfForm(typed);
    const given = Object.keys(headers ?? {}).length > 0 ? { headers } : {};
    await callApi(c, "PATCH", `${apiPath(c)}/webhooks/${encodeURIComponent(webhook)}`, { ...changes, ...given });
    return back(c);
  } catch (error) {
    return refused(c, error, typed, webhook);
  }
});

function refused(c: PageContext, error: unknown, typed: WebhookForm, changing?: string): Promise<Response> {
  if (!(error instanceof ApiProblem) || (error.status !== 400 && error.status !== 409)) throw error;
  return webhooksPage(c, { typed, mistakes: error.mistakes, ...(changing === undefined ? {} : { changing }) });
}

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

async function webhooksPage(c: PageContext, { added, typed, mistakes = [], changing }: Outcome): Promise<Response> {
  const at = apiPath(c);
  const cursor = c.req.query("cursor") ?? "";
  const [crawl, webhooks, page] = await Promise.all([
    callApi<CrawlView>(c, "GET", at),
    callApi<WebhookView[]>(c, "GET", `${at}/webhooks`),
    callApi<DeliveriesPage>(c, "GET", `${at}/deliveries?${new URLSearchParams({ cursor })}`),
  ]);
  const mayAct = c.get("access") === "all";
  const changed = webhooks.find(({ id }) => id === changing);
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
      {mayAct && (
        <WebhookFormPanel
          id={crawl.id}
          changing={changed?.id ?? null}
          typed={typed ?? (changed === undefined ? EMPTY_FORM : formOfWebhook(changed))}
          problems={problemsOf(mistakes)}
        />
      )}
    </Page>,
    mistakes.length > 0 ? 400 : 200,
  );
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
      text: "Form",
      class: "mid",
      cell: ({ format, digest, when, whenText, nextDigestAt }) => (
        <>
          {[format, ...(digest === null ? [] : [digest]), ...when, ...whenText].join("; ")}
          {nextDigestAt !== null && (
            <span class="why muted small">
              next digest <Time at={nextDigestAt} />
            </span>
          )}
        </>
      ),
    },
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
    cell: ({ id: webhook, url, format }) => (
      <div class="actions end">
        {format !== "firecrawl" && (
          <a class="button" href={`/crawls/${id}/webhooks?${new URLSearchParams({ change: webhook })}#form`}>
            Change<span class="visually-hidden"> the webhook to {shortUrl(url)}</span>
          </a>
        )}
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
