import { type Context, Hono } from "hono";
import type { Crawl } from "../../crawl/crawl.ts";
import { cutPage } from "../../crawl/list-cursor.ts";
import type { Delivery, NewWebhook, Webhook } from "../../crawl/watch/notice.ts";
import { nextDigestAt } from "../../crawl/watch/telling.ts";
import { MAX_WEBHOOKS } from "../../store/notices/webhooks.ts";
import { anyCrawlOf, crawlOf, installationOf } from "../crawls/crawl-routes.ts";
import { findId } from "../records/find-by-id.ts";
import { refusal } from "../requests/request-problem.ts";
import { checkConditionFields } from "./telling-schemas.ts";
import {
  deliveriesQuery,
  toWebhook,
  viewDelivery,
  viewWebhook,
  webhookChange,
  webhookRequest,
} from "./webhook-schemas.ts";

/** /api/crawls/:id/webhooks and /api/crawls/:id/deliveries: who is told of a crawl's events, and what came of it. */

type Api = { Bindings: Env };

export const webhookRoutes = new Hono<Api>();

webhookRoutes.get("/:id/webhooks", async (c) => {
  const crawl = await anyCrawlOf(c);
  const webhooks = await c.var.deps.webhooks.list(crawl.id);
  return c.json({ success: true, result: webhooks.map(viewWebhook) });
});

webhookRoutes.post("/:id/webhooks", async (c) => {
  const request = webhookRequest.parse(await c.req.json());
  const crawl = await crawlOf(c);
  const made = toWebhook(request, "", installationOf(c.env));
  checkFields(c, crawl, made);
  const madeAt = c.var.deps.clock.now();
  const { webhooks, sealedValues } = c.var.deps;
  if (!(await webhooks.add(crawl.id, await sealedValues.sealWebhook(made), madeAt)))
    throw refusal(409, `This crawl has ${MAX_WEBHOOKS} webhooks: remove one first.`);
  const { secret, style = null, telling = null, ...webhook } = made;
  const digestAt = nextDigestAt(telling, madeAt);
  const view = viewWebhook({ ...webhook, style, telling, digestAt, madeAt, disabledAt: null, disabledWhy: null });
  return c.json({ success: true, result: { ...view, secret } }, 201);
});

/** Absent parameters keep their values. */
webhookRoutes.patch("/:id/webhooks/:webhook", async (c) => {
  const changes = webhookChange.parse(await c.req.json());
  const { crawl: id, ...known } = await webhookOf(c);
  if (known.style !== null && "job" in known.style)
    throw refusal(409, "A webhook of a request by Firecrawl's API keeps the form of that API. Add another one.");
  const { webhooks, sealedValues, clock } = c.var.deps;
  const { url, events, style, telling } = known;
  const { template = null, headers: sealed = {}, from = null, to = [], format = "json" } = style ?? {};
  const headers = await sealedValues.openHeaders(sealed);
  // Another form begins without what belongs to the one before.
  const form = changes.format === undefined || changes.format === format ? { format, template, headers, from, to } : {};
  const { digest = null, when = [], whenText = [] } = telling ?? {};
  const asked = webhookRequest.parse({ url, events, ...form, digest, when, whenText, ...changes });
  const { secret: _, ...changed } = { ...toWebhook(asked, "", installationOf(c.env)), id: known.id };
  checkFields(c, await crawlOf(c), changed);
  await webhooks.update(id, await sealedValues.sealWebhook(changed), clock.now());
  return c.json({ success: true, result: viewWebhook(await webhookOf(c)) });
});

function checkFields(c: Context<Api>, { options }: Crawl, { telling }: Pick<NewWebhook, "telling">): void {
  checkConditionFields(telling, options, { hasHook: c.var.deps.hook !== null, path: "when" });
}

webhookRoutes.delete("/:id/webhooks/:webhook", async (c) => {
  const { crawl, id } = await webhookOf(c);
  await c.var.deps.webhooks.remove(crawl, id);
  return c.json({ success: true, result: { id } });
});

webhookRoutes.post("/:id/webhooks/:webhook/test", async (c) => {
  const { crawl, id } = await webhookOf(c);
  const { deliveries, clock } = c.var.deps;
  const notice = await deliveries.addTest(crawl, id, clock.now());
  return c.json({ success: true, result: viewDelivery(await deliveryOf(c, crawl, notice)) }, 202);
});

webhookRoutes.get("/:id/deliveries", async (c) => {
  const { cursor, limit } = deliveriesQuery.parse(c.req.query());
  const crawl = await anyCrawlOf(c);
  const { deliveries, clock } = c.var.deps;
  const found = await deliveries.list(crawl.id, limit + 1, cursor, clock.now());
  const { page, cursor: next } = cutPage(found, limit, ({ id }) => id);
  return c.json({ success: true, result: { deliveries: page.map(viewDelivery), cursor: next } });
});

webhookRoutes.post("/:id/deliveries/:delivery/redeliver", async (c) => {
  const crawl = await crawlOf(c);
  const { id } = await deliveryOf(c, crawl.id, c.req.param("delivery"));
  await c.var.deps.deliveries.redeliver(crawl.id, id, c.var.deps.clock.now());
  return c.json({ success: true, result: viewDelivery(await deliveryOf(c, crawl.id, id)) }, 202);
});

/** The webhook in the path, by its id or the beginning of it. Throws 404. */
async function webhookOf(c: Context<Api>): Promise<Webhook & { crawl: string }> {
  const crawl = await crawlOf(c);
  const webhooks = await c.var.deps.webhooks.list(crawl.id);
  const ids = webhooks.map(({ id }) => id);
  const id = findId("webhook", c.req.param("webhook") ?? "", ids);
  const webhook = webhooks.find((one) => one.id === id) as Webhook;
  return { ...webhook, crawl: crawl.id };
}

async function deliveryOf(c: Context<Api>, crawl: string, id: string): Promise<Delivery> {
  const delivery = await c.var.deps.deliveries.get(crawl, id, c.var.deps.clock.now());
  if (delivery === null) throw refusal(404, `There is no delivery ${id} in this crawl.`);
  return delivery;
}
