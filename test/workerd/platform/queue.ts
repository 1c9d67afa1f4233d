import type { Faults } from "./faults.ts";
import type { Random } from "./random.ts";
import type { VirtualTime } from "./time.ts";

/**
 * A model of Cloudflare Queues with a push consumer.
 *
 * - Batches, acknowledgement and retries: https://developers.cloudflare.com/queues/configuration/batching-retries/
 * - Consumers at once: https://developers.cloudflare.com/queues/configuration/consumer-concurrency/
 * - Dead letters: https://developers.cloudflare.com/queues/configuration/dead-letter-queues/
 * - At least once, in no order: https://developers.cloudflare.com/queues/reference/delivery-guarantees/ and
 *   https://developers.cloudflare.com/queues/reference/how-queues-works/
 */

export interface QueueSettings {
  name: string;
  maxBatchSize: number;
  maxBatchTimeoutMs: number;
  maxConcurrency: number;
  maxRetries: number;
  retryDelayS: number;
}

/** https://developers.cloudflare.com/queues/platform/limits/: 1 KB is 1,000 bytes. */
const MAX_MESSAGE_BYTES = 128_000;
const MAX_SEND_BYTES = 256_000;
const MAX_SEND_MESSAGES = 100;
/** "Messages can include up to ~100 bytes of internal metadata that counts towards total message limits." */
const METADATA_BYTES = 100;
const MAX_DELAY_S = 86_400;
/** A consumer's wall time. */
export const MAX_CONSUMER_MS = 900_000;
/** From the time at which a batch is ready to its invocation. The documentation names no number. */
const DELIVERY_MS = 60;

interface Stored<T> {
  id: string;
  body: T;
  /** When it may be delivered. */
  at: number;
  attempts: number;
}

/** What became of the invocation that got a batch. */
export type Ending = "returned" | "threw" | "killed";

type Handler<T> = (batch: MessageBatch<T>) => Promise<Ending>;

/** The dead letters of several queues may go to one, whose consumer reads what is common to them. */
interface DeadLetters<T> {
  send(requests: readonly MessageSendRequest<T>[]): void;
}

export class ModelQueue<T> {
  /** `requested` counts the messages of all calls, also of those that failed. */
  readonly counts = { requested: 0, sent: 0, delivered: 0, batches: 0, dead: 0 };
  readonly #settings: QueueSettings;
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #faults: Faults;
  readonly #deadLetters: DeadLetters<T> | undefined;
  #handler: Handler<T> = async () => "returned";
  #stored: Stored<T>[] = [];
  #consumers = 0;
  /** Consumers that may run now: earlier load may have left many. */
  #allowed: number;
  #mostConsumers = 0;

  constructor(
    settings: QueueSettings,
    { time, random, faults }: { time: VirtualTime; random: Random; faults: Faults },
    deadLetters?: DeadLetters<T>,
  ) {
    this.#settings = settings;
    this.#time = time;
    this.#random = random;
    this.#faults = faults;
    this.#deadLetters = deadLetters;
    this.#allowed = random.between(1, settings.maxConcurrency);
  }

  consume(handler: Handler<T>): void {
    this.#handler = handler;
  }

  /** Messages that are stored and not being worked on. */
  get backlog(): number {
    return this.#stored.length;
  }

  get consumers(): number {
    return this.#consumers;
  }

  get mostConsumers(): number {
    return this.#mostConsumers;
  }

  /** Stores messages. Throws, and stores none, if a limit is passed. */
  send(requests: readonly MessageSendRequest<T>[]): void {
    const sizes = requests.map(({ body }) => sizeOf(body));
    if (requests.length > MAX_SEND_MESSAGES) throw new Error(`sendBatch: ${requests.length} messages, limit is 100`);
    for (const size of sizes) {
      if (size > MAX_MESSAGE_BYTES) throw new Error(`Queue send failed: message length of ${size} bytes exceeds limit`);
    }
    const total = sizes.reduce((sum, size) => sum + size, 0);
    if (total > MAX_SEND_BYTES) throw new Error(`Queue sendBatch failed: ${total} bytes exceed the limit of 256,000`);
    for (const { body, delaySeconds = 0 } of requests) {
      checkDelay(delaySeconds);
      this.counts.sent += 1;
      // A copy: the sender may go on with its objects.
      for (let copies = this.#copies(); copies > 0; copies--) this.#store(structuredClone(body), delaySeconds, 0);
    }
  }

  /** At least once; a loss is no rule of the platform, but a purge or an expired message is one. */
  #copies(): number {
    if (this.#faults.strikes("message lost", 0.5)) return 0;
    return this.#faults.strikes("message twice", 0.5) ? this.#random.between(2, 3) : 1;
  }

  #store(body: T, delaySeconds: number, attempts: number): void {
    const lateMs = this.#faults.strikes("message late") ? this.#random.between(0, 120_000) : 0;
    const at = this.#time.now() + delaySeconds * 1000 + lateMs;
    this.#stored.push({ id: this.#random.uuid(), body, at, attempts });
    this.#time.after(at - this.#time.now(), () => this.#pump());
    const { maxBatchTimeoutMs } = this.#settings;
    if (maxBatchTimeoutMs > 0) this.#time.after(at - this.#time.now() + maxBatchTimeoutMs, () => this.#pump());
  }

  /** Starts as many consumers as may run, while a batch is full or its first message has waited long enough. */
  #pump(): void {
    const { maxBatchSize, maxBatchTimeoutMs } = this.#settings;
    while (this.#consumers < this.#allowed) {
      const now = this.#time.now();
      const ready = this.#stored.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
      const oldest = ready[0];
      if (oldest === undefined) return;
      if (ready.length < maxBatchSize && now - oldest.at < maxBatchTimeoutMs) return;
      const ordered = this.#faults.strikes("messages out of order", 4) ? this.#random.shuffle(ready) : ready;
      const batch = ordered.slice(0, maxBatchSize);
      this.#stored = this.#stored.filter((message) => !batch.includes(message));
      this.#consumers += 1;
      this.#mostConsumers = Math.max(this.#mostConsumers, this.#consumers);
      this.#time.after(DELIVERY_MS, () => void this.#deliver(batch));
    }
  }

  async #deliver(stored: Stored<T>[]): Promise<void> {
    this.counts.batches += 1;
    this.counts.delivered += stored.length;
    const answers = new Map<Stored<T>, "ack" | { retryAfterS: number }>();
    const { retryDelayS, name } = this.#settings;
    const retry = (message: Stored<T>, { delaySeconds = retryDelayS }: QueueRetryOptions = {}) => {
      checkDelay(delaySeconds);
      // "The first method call wins in all cases."
      if (!answers.has(message)) answers.set(message, { retryAfterS: delaySeconds });
    };
    const ack = (message: Stored<T>) => {
      if (!answers.has(message)) answers.set(message, "ack");
    };
    const messages = stored.map((message) => ({
      id: message.id,
      timestamp: new Date(message.at),
      body: structuredClone(message.body),
      attempts: message.attempts + 1,
      ack: () => ack(message),
      retry: (options?: QueueRetryOptions) => retry(message, options),
    }));
    let retryAll: QueueRetryOptions | null = null;
    let ackAll = false;
    const ending = await this.#handler({
      queue: name,
      messages,
      ackAll: () => {
        ackAll = true;
      },
      retryAll: (options?: QueueRetryOptions) => {
        retryAll ??= options ?? {};
      },
    } as unknown as MessageBatch<T>);
    // Whether answers of an invocation that was killed count is not documented: they may or may not.
    if (ending === "killed" && this.#random.chance(0.5)) answers.clear();
    for (const message of stored) {
      if (retryAll !== null) retry(message, retryAll);
      // Messages without an answer: a handler that returns acknowledges them, one that throws retries them.
      if (ending === "returned" || ackAll) ack(message);
      else retry(message);
      const answer = answers.get(message);
      if (answer !== "ack" && answer !== undefined) this.#again(message, answer.retryAfterS);
    }
    this.#consumers -= 1;
    this.#scale(ending);
    this.#pump();
  }

  /** Each delivery is an attempt; after `max_retries` more a message goes to the dead-letter queue. */
  #again(message: Stored<T>, delaySeconds: number): void {
    if (message.attempts < this.#settings.maxRetries) {
      this.#store(message.body, delaySeconds, message.attempts + 1);
      return;
    }
    this.counts.dead += 1;
    this.#deadLetters?.send([{ body: message.body }]);
  }

  /** After each batch: more consumers for a backlog, fewer after failures. */
  #scale(ending: Ending): void {
    const ready = this.#stored.filter(({ at }) => at <= this.#time.now()).length;
    if (ending !== "returned") this.#allowed = Math.max(1, this.#allowed - 1);
    else if (ready > 0) this.#allowed = Math.min(this.#settings.maxConcurrency, this.#allowed * 2);
  }
}

/**
 * The length of its JSON, the default content type:
 * https://developers.cloudflare.com/queues/configuration/javascript-apis/
 */
function sizeOf(body: unknown): number {
  return new TextEncoder().encode(JSON.stringify(body)).byteLength + METADATA_BYTES;
}

function checkDelay(delaySeconds: number): void {
  if (!Number.isInteger(delaySeconds) || delaySeconds < 0 || delaySeconds > MAX_DELAY_S) {
    throw new RangeError(`delaySeconds is ${delaySeconds}, not a whole number of 0 to 86,400`);
  }
}
