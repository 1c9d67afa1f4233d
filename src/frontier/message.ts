/**
 * A message of the frontier: a hint to work on a ledger row. Losing one or seeing it twice changes nothing; one whose epoch is not its
 * crawl's is dropped.
 */
export interface FrontierMessage {
  /** Version of this shape. */
  v: 1;
  crawl: string;
  url: string;
  epoch: number;
  /** It is about a sitemap, not a page. */
  sitemap?: true;
}

/** Whether this code knows what to do with a body of the queue: a deploy may leave some of another version. */
export function isKnown(body: unknown): body is FrontierMessage {
  const { v, crawl, url, epoch } = (body ?? {}) as Partial<Record<keyof FrontierMessage, unknown>>;
  return v === 1 && typeof crawl === "string" && typeof url === "string" && typeof epoch === "number";
}

/** A message to send, when its URL's turn is. */
export interface Dispatch {
  message: FrontierMessage;
  delayMs: number;
}

/** https://developers.cloudflare.com/queues/platform/limits/ */
const MAX_BATCH = 100;
const MAX_DELAY_S = 86_400;

/** Sends what a crawl set in motion without delay, pages first; their gates put them into slots as they arrive. */
export async function dispatchNow(
  queue: Queue<FrontierMessage>,
  { crawl, epoch }: Pick<FrontierMessage, "crawl" | "epoch">,
  { queued, sitemaps }: { queued: string[]; sitemaps: string[] },
): Promise<void> {
  const messages: FrontierMessage[] = [
    ...queued.map((url) => ({ v: 1 as const, crawl, url, epoch })),
    ...sitemaps.map((url) => ({ v: 1 as const, crawl, url, epoch, sitemap: true as const })),
  ];
  await dispatch(
    queue,
    messages.map((message) => ({ message, delayMs: 0 })),
  );
}

/** Sends with as few calls as the platform allows. Delays are whole seconds to a queue; the gate waits out the rest. */
export async function dispatch(queue: Queue<FrontierMessage>, dispatches: Dispatch[]): Promise<void> {
  for (let i = 0; i < dispatches.length; i += MAX_BATCH) {
    await queue.sendBatch(
      dispatches.slice(i, i + MAX_BATCH).map(({ message, delayMs }) => ({
        body: message,
        delaySeconds: Math.min(Math.floor(delayMs / 1000), MAX_DELAY_S),
      })),
    );
  }
}
