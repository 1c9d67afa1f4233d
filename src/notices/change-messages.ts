import { redirectTarget } from "../crawl/page/redirect-target.ts";
import { CHANGES_EVENT, MAX_CHANGES, messageId, type NoticeMessage } from "../crawl/watch/notice.ts";
import type { TitledChange } from "../crawl/watch/watch.ts";

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
  { crawl, webhook }: { crawl: string; webhook: string },
  changes: readonly TitledChange[],
  most: number,
  now: number,
): ChangeMessage[] {
  const messages: ChangeMessage[] = [];
  for (let at = 0; at < changes.length && messages.length < most; ) {
    const told = firstOf(changes.slice(at, at + MAX_CHANGES).map(viewChange));
    at += told.length;
    const [first, last] = [told[0], told.at(-1)];
    if (first === undefined || last === undefined) break;
    messages.push({
      id: messageId(first.seq, now) + webhook.slice(0, 8),
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

type ChangeView = ReturnType<typeof viewChange>;

/** As many as fit into a message, but at least one. */
function firstOf(changes: readonly ChangeView[]): readonly ChangeView[] {
  let length = 0;
  const end = changes.findIndex((change, i) => {
    length += JSON.stringify(change).length;
    return i > 0 && length > MAX_LENGTH;
  });
  return end === -1 ? changes : changes.slice(0, end);
}

/** A change in the words of the API, and the URL to which a page moved. */
function viewChange({ seq, url, kind, at, title, detail, fields, backTo }: TitledChange) {
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
  };
}
