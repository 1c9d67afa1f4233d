import { type Context, Hono } from "hono";
import { cutPage } from "../../crawl/list-cursor.ts";
import type { Delivery, Webhook } from "../../crawl/watch/notice.ts";
import { MAX_WEBHOOKS } from "../../store/notices/webhooks.ts";
import { crawlOf, installationOf } from "../crawls/crawl-routes.ts";
import { findId } from "../records/find-by-id.ts";
import { refusal } from "../requests/request-problem.ts";
import { deliveriesQuery, toWebhook, viewDelivery, viewWebhook, webhookRequest } from "./webhook-schemas.ts";

/** /api/crawls/:id/webhooks and /api/crawls/:id/deliveries: who is told of a crawl's events, and what came of it. */

type Api = { Bindings: Env };

export const webhookRoutes = new Hono<Api>();

webhookRoutes.get("/:id/webhooks", async (c) => {
  const crawl = await crawlOf(c);
  const webhooks = await c.var.deps.webhooks.list(crawl.id);
  return c.json({ success: true, result: webhooks.map(viewWebhook) });
});

webhookRoutes.post("/:id/webhooks", async (c) => {
  const request = webhookRequest.parse(await c.req.json());
  const crawl = await crawlOf(c);
  const { secret, ...webhook } = toWebhook(request, "", installationOf(c.env));
  const madeAt = c.var.deps.clock.now();
  if (!(await c.var.deps.webhooks.add(crawl.id, { ...webhook, secret }, madeAt)))
    throw refusal(409, `This crawl has ${MAX_WEBHOOKS} webhooks: remove one first.`);
  const view = viewWebhook({ ...webhook, madeAt, disabledAt: null, disabledWhy: null });
  return c.json({ success: true, result: { ...view, secret } }, 201);
});

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
  const crawl = await crawlOf(c);
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
