import { redirectTarget } from "../crawl/page/redirect-target.ts";
import { CHANGES_EVENT, MAX_CHANGES, messageId, type NoticeMessage } from "../crawl/watch/notice.ts";
import type { TemplateStyle } from "../crawl/watch/notice-style.ts";
import type { WordedChange } from "../crawl/watch/telling.ts";
import { textOfChange } from "./notice-text.ts";
import { mostBytesOf } from "./ready-formats.ts";
import { sizeOfParts } from "./render-notice.ts";

/** Changes of a watch as messages to a webhook. */

/** Characters of the changes in one message; a single change may have more. Most messages have a tenth of it. */
const MAX_LENGTH = 100_000;

/** Some changes as one message. */
interface ChangeMessage extends NoticeMessage {
  /** The number of the last change in it. */
  to: number;
}

/**
 * Messages that tell these changes, up to `most`; the changes that are left out come last. The id of each follows from
 * the number of its first change.
 */
export function toChangeMessages(
  { crawl, webhook, style }: { crawl: string; webhook: string; style?: TemplateStyle | null },
  changes: readonly WordedChange[],
  most: number,
  now: number,
): ChangeMessage[] {
  const messages: ChangeMessage[] = [];
  for (let at = 0; at < changes.length && messages.length < most; ) {
    const told = firstOf(changes.slice(at, at + MAX_CHANGES).map(viewChange), style ?? null);
    at += told.length;
    const [first, last] = [told[0], told.at(-1)];
    if (first === undefined || last === undefined) break;
    messages.push({
      id: messageId(first.seq, now) + webhook.slice(0, 8),
      event: CHANGES_EVENT,
      body: JSON.stringify({
        type: CHANGES_EVENT,
        timestamp: new Date(now).toISOString(),
        data: { crawl, changes: told },
      }),
      to: last.seq,
    });
  }
  return messages;
}

export type ChangeView = ReturnType<typeof viewChange>;

/** As many as fit into a message, but at least one. Services take texts of some length. */
export function firstOf<T extends ChangeView>(changes: readonly T[], style: TemplateStyle | null): readonly T[] {
  const mostBytes = style === null ? 0 : mostBytesOf(style);
  let length = 0;
  let bytes = 0;
  const end = changes.findIndex((change, i) => {
    length += JSON.stringify(change).length;
    if (style !== null) bytes += sizeOfParts([textOfChange(change)], style);
    return i > 0 && (length > MAX_LENGTH || (style !== null && bytes > mostBytes));
  });
  return end === -1 ? changes : changes.slice(0, end);
}

/** A change in the words of the API, and the URL to which a page moved. */
export function viewChange({ seq, url, kind, at, title, detail, fields, backTo, words, wordsLeftOut }: WordedChange) {
  const target = kind === "moved" ? redirectTarget({ reason: "redirected", detail }) : null;
  return {
    seq,
    kind,
    url,
    target,
    at: new Date(at).toISOString(),
    title,
    detail,
    ...(fields === undefined ? {} : { fields }),
    ...(backTo === undefined ? {} : { backTo: new Date(backTo).toISOString() }),
    ...(words === undefined ? {} : { words: words === null ? null : [...words], wordsLeftOut: wordsLeftOut ?? 0 }),
  };
}
