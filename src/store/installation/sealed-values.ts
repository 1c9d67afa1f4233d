import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import type { NewWebhook, NoticeStyle } from "../../crawl/watch/notice.ts";
import { seal, unseal } from "./seal.ts";

/**
 * Secret values beside others in a row: request headers of crawls and schedules, secrets and headers of webhooks. The
 * doors seal them before they are stored, each value by itself; the pipeline and the outbox open them. Values that an
 * earlier version stored are plain, and are used as they are.
 */

/** Begins each sealed value. A value that somebody gives is always sealed, whatever it begins with. */
const SEALED = "sealed:1:";

const REMEDY = "Give it again, with a new crawl or webhook.";

type Headers = Record<string, string>;
interface OfWebhook {
  secret?: string;
  style?: NoticeStyle | null;
}
type Change = (value: string, name: string) => Promise<string>;

export class SealedValues {
  readonly #key: string | undefined;

  /** `key`: the SESSION_KEY of the installation. */
  constructor(key: string | undefined) {
    this.#key = key;
  }

  /** The options as they are stored. Throws SealProblem if there is something to seal, and no usable key. */
  async sealOptions(options: CrawlOptions): Promise<CrawlOptions> {
    const { headers, webhook } = options;
    return {
      ...options,
      headers: await changeHeaders(headers, this.#seal),
      webhook: webhook === null ? null : await this.sealWebhook(webhook),
    };
  }

  /** A webhook, or a change of one, as it is stored. Throws SealProblem. */
  async sealWebhook<Webhook extends Partial<Pick<NewWebhook, "secret" | "style">>>(webhook: Webhook): Promise<Webhook> {
    return changeWebhook(webhook, this.#seal);
  }

  /** The values of headers. Throws SealProblem. */
  async openHeaders(headers: Headers): Promise<Headers> {
    return changeHeaders(headers, this.#open);
  }

  /** What a stored webhook sends. Throws SealProblem. */
  async openWebhook<Webhook extends OfWebhook>(webhook: Webhook): Promise<Webhook> {
    return changeWebhook(webhook, this.#open);
  }

  readonly #seal: Change = async (value, name) => SEALED + (await seal(value, name, this.#key));

  readonly #open: Change = async (value, name) => {
    if (!value.startsWith(SEALED)) return value;
    return unseal(value.slice(SEALED.length), name, this.#key, { what: `The ${name}`, remedy: REMEDY });
  };
}

async function changeHeaders(headers: Headers, change: Change): Promise<Headers> {
  const changed = Object.entries(headers).map(
    async ([name, value]) => [name, await change(value, `header ${name.toLowerCase()}`)] as const,
  );
  return Object.fromEntries(await Promise.all(changed));
}

/** The webhook with other secrets. What it lacks stays absent. */
async function changeWebhook<Webhook extends OfWebhook>(webhook: Webhook, change: Change): Promise<Webhook> {
  const { secret, style } = webhook;
  return {
    ...webhook,
    ...(secret === undefined ? {} : { secret: await change(secret, "secret of the webhook") }),
    ...(style == null ? {} : { style: { ...style, headers: await changeHeaders(style.headers, change) } }),
  };
}
