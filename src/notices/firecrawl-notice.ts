import type { Crawl } from "../crawl/crawl.ts";
import { partsOf } from "../crawl/page/page-format.ts";
import type { RowFields } from "../crawl/page/row-fields.ts";
import type { ChangeKind } from "../crawl/watch/watch.ts";
import { CHANGES_EVENT, type FirecrawlStyle } from "../crawl/watch/notice.ts";
import { emptyMetadata } from "../media/text/plain-content.ts";
import { readFields } from "../store/mirror/kept-fields.ts";
import { readStoredContent, type Stores } from "../store/mirror/read-mirror.ts";
import type { ClaimedDelivery } from "../store/notices/deliveries.ts";
import type { Store } from "../store/store.ts";
import type { ChangeView } from "./change-messages.ts";
import { type FirecrawlDocument, toDocument } from "./firecrawl-document.ts";

/** Notices in the form of Firecrawl's webhooks: https://docs.firecrawl.dev/webhooks/events */

/** As much as these notices show of the `data` of ours. */
interface NoticeData {
  url?: string;
  status?: string;
  changes?: readonly ChangeView[];
}

export type MonitorStatus = "new" | "changed" | "removed";

/** A change as a monitor of Firecrawl's calls it. */
export const MONITOR_STATUSES: Record<ChangeKind, MonitorStatus> = {
  added: "new",
  restored: "new",
  changed: "changed",
  moved: "removed",
  removed: "removed",
};

export type PageSource = Stores & Pick<Store, "ledger">;

/** The body of a notice. The outbox holds what happened; the page of a `crawl.page` is read when it is sent. */
export async function firecrawlBody(
  { crawl, id, event, body }: Pick<ClaimedDelivery, "crawl" | "id" | "event" | "body">,
  { job, metadata }: FirecrawlStyle,
  deps: PageSource,
): Promise<string> {
  const { data } = JSON.parse(body) as { data: NoticeData };
  if (job === "monitor") return monitorBody({ crawl, id, event }, data, metadata);
  const page = event === "crawl.page" && data.url !== undefined ? await readPage(crawl, data.url, deps) : null;
  const failed = event === "crawl.failed";
  return JSON.stringify({
    success: !failed,
    type: event.replace(/^crawl\./, `${job}.`),
    id: crawl,
    webhookId: id,
    data: page === null ? [] : [page],
    metadata,
    ...(failed ? { error: `The crawl ended as ${String(data.status).replaceAll("_", " ")}.` } : {}),
  });
}

/** What a monitor is told: a page for each change. */
function monitorBody(
  { crawl, id, event }: Pick<ClaimedDelivery, "crawl" | "id" | "event">,
  { changes = [] }: NoticeData,
  metadata: Record<string, string>,
): string {
  const data = changes.map(({ url, kind, detail, title, at, fields }) => ({
    monitorId: crawl,
    url,
    status: MONITOR_STATUSES[kind],
    title,
    detail,
    at,
    ...(fields === undefined
      ? {}
      : {
          diff: {
            json: Object.fromEntries(
              fields.map(({ name, before, after }) => [name, { previous: before, current: after }]),
            ),
          },
        }),
  }));
  const type = event === CHANGES_EVENT ? "monitor.page" : event;
  return JSON.stringify({ success: true, type, id: crawl, webhookId: id, data, metadata });
}

/** The page in the formats of its crawl that were made with the fetch. Null if it is gone. */
async function readPage(id: string, url: string, deps: PageSource): Promise<FirecrawlDocument | null> {
  const crawl = await deps.ledger.crawl(id);
  const record = crawl === null ? null : await deps.records.get(id, url);
  if (crawl === null || record === null) return null;
  const content = await readContent(crawl, url, deps);
  if (content === null) return toDocument(record, {}, { problem: "it is not in the mirror" });
  const { formats } = crawl.options;
  const { markdown, html, links, metadata, text = "" } = content;
  const document = toDocument(record, {
    json: { url, ...emptyMetadata(), ...metadata, text },
    ...(formats.includes("markdown") && markdown !== undefined ? { markdown } : {}),
    ...(formats.includes("html") && html !== undefined ? { html } : {}),
    ...(formats.includes("links") && links !== undefined ? { links: [...links] } : {}),
  });
  if (record.fields === null) return document;
  const { values } = await readFields(id, JSON.parse(record.fields) as RowFields, deps.packs);
  return { ...document, json: values };
}

async function readContent(crawl: Crawl, url: string, deps: PageSource) {
  const parts = partsOf(crawl.options.formats);
  return readStoredContent(crawl, url, parts, deps, await deps.records.packed(crawl.id, url));
}
