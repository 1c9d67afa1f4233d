import { type FrontierMessage, hintsOf } from "../../../src/frontier/batch/message.ts";

/**
 * Code of two versions at once: after a deploy, invocations that run go on with the old code
 * (https://developers.cloudflare.com/workers/versions-and-deployments/), and messages of the old code are still in the
 * queue. There is one version of the code in a test, so the model changes the messages: the first code sends those of
 * the first version, with one URL each, and code that is older than a message does not know its version.
 */

type Sent = MessageSendRequest<FrontierMessage & { sentBy?: number }>;

const UNKNOWN_VERSION = 1_000;

/** What code of this version sends. */
export function asSentBy(version: number, messages: readonly MessageSendRequest<FrontierMessage>[]): Sent[] {
  return messages.map((message) => ({ ...message, body: { ...message.body, sentBy: version } }));
}

/** What code of this version reads. */
export function asSeenBy(version: number, body: FrontierMessage & { sentBy?: number }): FrontierMessage {
  const { sentBy = version, ...message } = body;
  if (sentBy > version) return { ...message, v: UNKNOWN_VERSION } as unknown as FrontierMessage;
  const [url] = message.urls;
  const old = { v: 1, crawl: message.crawl, epoch: message.epoch, url, ...(message.sitemap ? { sitemap: true } : {}) };
  // A message with one URL looks like one of the first version.
  const isOld = sentBy < version && message.urls.length === 1 && hintsOf(old) !== null;
  return (isOld ? old : message) as unknown as FrontierMessage;
}
