import type { HeldByHost } from "../changes/held-back.ts";
import { DIGEST_EVENT, messageId, type NoticeMessage } from "../crawl/watch/notice.ts";
import type { TemplateStyle } from "../crawl/watch/notice-style.ts";
import type { DigestPage } from "../crawl/watch/telling.ts";
import { firstOf, viewChange } from "./change-messages.ts";

/** A digest as messages: by page, and what changed on most pages at once as one thing each. */

/** Things that came to most pages at once, in one digest. */
const MAX_EVERYWHERE = 20;

interface Digest {
  crawl: string;
  webhook: string;
  style: TemplateStyle | null;
  /** The changes since the last digest, a page once. */
  pages: readonly DigestPage[];
  everywhere: readonly HeldByHost[];
  /** Since when, in milliseconds since the epoch; null for the first digest. */
  since: number | null;
}

/** None if there is nothing to tell. */
export function toDigestMessages(
  { crawl, webhook, style, pages, everywhere, since }: Digest,
  now: number,
): NoticeMessage[] {
  const messages: NoticeMessage[] = [];
  const views = pages.map(({ changes, ...page }) => ({ ...viewChange(page), changes }));
  const shared = everywhere.slice(0, MAX_EVERYWHERE).map(({ host, place, pages: on, url, at, before, after }) => {
    return { host, place, pages: on, url, at: new Date(at).toISOString(), before, after };
  });
  for (let at = 0; at < views.length || (messages.length === 0 && shared.length > 0); ) {
    const told = firstOf(views.slice(at), style);
    at += told.length;
    messages.push({
      id: messageId(told[0]?.seq ?? 0, now) + webhook.slice(0, 8),
      event: DIGEST_EVENT,
      body: JSON.stringify({
        type: DIGEST_EVENT,
        timestamp: new Date(now).toISOString(),
        data: {
          crawl,
          since: since === null ? null : new Date(since).toISOString(),
          pages: told,
          everywhere: messages.length === 0 ? shared : [],
          everywhereLeftOut: messages.length === 0 ? everywhere.length - shared.length : 0,
        },
      }),
    });
  }
  return messages;
}
