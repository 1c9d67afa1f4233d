import * as z from "zod";
import {
  DELIVERY_STATUSES,
  type Delivery,
  DIGEST_EVENT,
  type NewWebhook,
  NOTICE_EVENTS,
  TEST_EVENT,
  type Webhook,
} from "../../crawl/watch/notice.ts";
import { NOTICE_FORMATS } from "../../crawl/watch/notice-style.ts";
import { isSecret, makeSecret, SECRET_RULE } from "../../notices/notice-signature.ts";
import { MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { checkHost, type FetchableHosts } from "../crawls/fetchable-host.ts";
import {
  count,
  isoOrNull,
  NEXT_CURSOR,
  objectOf,
  queryInteger,
  requestOf,
  textLike,
  time,
} from "../requests/fields.ts";
import { RequestProblem } from "../requests/request-problem.ts";
import { formFields, tellingFields, toStyle, toTelling } from "./telling-schemas.ts";

/** Requests and answers about webhooks and their deliveries. */

const events = z.array(z.enum(NOTICE_EVENTS)).min(1).max(NOTICE_EVENTS.length);

export const webhookRequest = requestOf({
  url: z.string().max(MAX_URL_LENGTH).describe("Where notices are sent: an http or https URL."),
  events: events
    .nullable()
    .default(null)
    .describe(
      "The events to tell. null means all events of the crawl except `crawl.started` and `crawl.page`, also those that a later version adds.",
    ),
  secret: z
    .string()
    .refine(isSecret, { message: SECRET_RULE })
    .optional()
    .describe("The secret that signs the notices: `whsec_` and 24 to 64 bytes in base64. The default is a new one."),
  ...formFields,
  ...tellingFields,
});

/** A field of a change: what is absent stays as it is, so no default stands for it. */
const kept = <T extends z.ZodType>(field: z.ZodDefault<T>) =>
  field
    .unwrap()
    .optional()
    .describe(field.description ?? "");

/** A change of a webhook. Its secret stays. */
export const webhookChange = requestOf({
  url: webhookRequest.shape.url.optional(),
  events: kept(webhookRequest.shape.events),
  format: kept(formFields.format),
  template: kept(formFields.template),
  headers: kept(formFields.headers),
  from: kept(formFields.from),
  to: kept(formFields.to),
  digest: kept(tellingFields.digest),
  when: kept(tellingFields.when),
  whenText: kept(tellingFields.whenText),
});

/** A webhook in the request that starts a crawl. A mistake in the object is named as in a request of its own. */
export const webhookOrder = z.union([z.string().max(MAX_URL_LENGTH), webhookRequest], {
  error: ({ errors }) => {
    const inside = (errors as z.core.$ZodIssue[][]).flat().filter(({ path }) => path.length > 0);
    const named = inside.map(({ path, message }) => `${path.join(".")}: ${message}`);
    return named.length === 0 ? "give a URL, or an object with url, events and secret" : named.join("; ");
  },
});

/**
 * The webhook that a request asks for, with a new id, and a new secret if it has none. `path`: the parameter that has
 * the webhook; empty if it is the body. Throws RequestProblem if the URL gets no request.
 */
export function toWebhook(order: z.output<typeof webhookOrder>, path: string, hosts: FetchableHosts): NewWebhook {
  const request = typeof order === "string" ? webhookRequest.parse({ url: order }) : order;
  const { url: given, events, secret } = request;
  const pathOf = (name: string) => [path, name].filter((part) => part !== "").join(".");
  const at = typeof order === "string" ? path : pathOf("url");
  const url = URL.parse(given.trim());
  const isWeb = url !== null && ["http:", "https:"].includes(url.protocol);
  if (!isWeb || url.username !== "" || url.password !== "") {
    throw new RequestProblem(
      "invalid-url",
      `"${given.slice(0, 200)}" is not an http or https URL without user name and password, such as https://example.com/hook.`,
      at,
    );
  }
  checkHost(url.href, at, hosts);
  const style = toStyle(request, pathOf);
  const telling = toTelling(request, pathOf);
  return {
    id: crypto.randomUUID(),
    url: url.href,
    events,
    secret: secret ?? makeSecret(),
    ...(style === null ? {} : { style }),
    ...(telling === null ? {} : { telling }),
  };
}

export const secretField = z
  .string()
  .describe("The secret that signs its notices. It is shown here only: store it where the receiver runs.");

export const webhookView = objectOf({
  id: z.uuid().describe("The id of the webhook."),
  url: z.string().describe("Where notices are sent."),
  events: events
    .nullable()
    .describe("The events that it is told. null means all events except `crawl.started` and `crawl.page`."),
  format: z.enum([...NOTICE_FORMATS, "firecrawl"]).describe("The form of its notices."),
  template: z.string().nullable().describe("Its own template. null: it has none."),
  headerNames: z
    .array(z.string())
    .describe("The names of its headers. Their values may hold a key, and are not shown."),
  from: z.string().nullable().describe("The sender of its e-mails."),
  to: z.array(z.string()).describe("The recipients of its e-mails."),
  digest: z.string().nullable().describe("When it gets digests of changes. null: it is told changes as they come."),
  nextDigestAt: time.nullable().describe("When its next digest is due."),
  when: z.array(z.string()).describe("Its conditions on fields."),
  whenText: z.array(z.string()).describe("Its conditions on the words that changed."),
  madeAt: time.describe("When it was made."),
  disabledAt: time
    .nullable()
    .describe(
      "When its receiver refused further notices with status 410. A test notice that succeeds enables it again.",
    ),
  disabledWhy: z.string().nullable().describe("Why it is disabled."),
});
export type WebhookView = z.output<typeof webhookView>;

export const newWebhookView = webhookView.extend({ secret: secretField });
export type NewWebhookView = z.output<typeof newWebhookView>;

export function viewWebhook(webhook: Webhook): WebhookView {
  const { id, url, events, style, telling, digestAt, madeAt, disabledAt, disabledWhy } = webhook;
  const own = style === null || "job" in style ? null : style;
  return {
    id,
    url,
    events,
    format: style === null ? "json" : (own?.format ?? "firecrawl"),
    template: own?.template ?? null,
    headerNames: Object.keys(style?.headers ?? {}),
    from: own?.from ?? null,
    to: [...(own?.to ?? [])],
    digest: telling?.digest ?? null,
    nextDigestAt: isoOrNull(digestAt),
    when: [...(telling?.when ?? [])],
    whenText: [...(telling?.whenText ?? [])],
    madeAt: new Date(madeAt).toISOString(),
    disabledAt: isoOrNull(disabledAt),
    disabledWhy,
  };
}

export const removedWebhookView = objectOf({ id: z.uuid().describe("The id of the webhook.") });

export const deliveriesQuery = requestOf({
  cursor: textLike(/^(?:msg_[0-9a-f]{1,64})?$/, 80)
    .default("")
    .describe(NEXT_CURSOR),
  limit: queryInteger(1, 200, 100).describe("Maximum number of deliveries in one answer."),
});

export const deliveryView = objectOf({
  id: z.string().describe("The id of the notice: the `webhook-id` header of every attempt."),
  webhookId: z.uuid().describe("The webhook that it is for."),
  event: z.enum([...NOTICE_EVENTS, DIGEST_EVENT, TEST_EVENT]).describe("The event: the `type` in the body."),
  status: z
    .enum(DELIVERY_STATUSES)
    .describe(
      "`waiting` for its next attempt, `sending`, `delivered`, or `given-up` after three days or because the webhook is disabled.",
    ),
  attempts: count.describe("Number of attempts so far."),
  madeAt: time.describe("When the event happened."),
  nextAt: time.nullable().describe("The next attempt. null unless it waits."),
  lastAt: time.nullable().describe("The last attempt."),
  httpStatus: z.int().nullable().describe("Status of the last answer. null if there was none."),
  detail: z.string().nullable().describe("Why the last attempt failed."),
});
export type DeliveryView = z.output<typeof deliveryView>;

export function viewDelivery(delivery: Delivery): DeliveryView {
  const { id, webhook, event, status, attempts, madeAt, dueAt, lastAt, httpStatus, detail } = delivery;
  return {
    id,
    webhookId: webhook,
    event,
    status,
    attempts,
    madeAt: new Date(madeAt).toISOString(),
    nextAt: isoOrNull(dueAt),
    lastAt: isoOrNull(lastAt),
    httpStatus,
    detail,
  };
}

export const deliveriesPage = objectOf({
  deliveries: z.array(deliveryView).describe("The deliveries, the newest first."),
  cursor: z.string().nullable().describe("Cursor of the next page of results. null on the last one."),
});
export type DeliveriesPage = z.output<typeof deliveriesPage>;
