import { vi } from "vitest";
import { type CrawlOptions, DEFAULT_OPTIONS, DEFAULT_POLITENESS } from "../../../src/crawl/crawl-options.ts";
import type { NoticeAnswer, NoticeRequest } from "../../../src/fetch/request/post-notice.ts";
import { ByteBudget, bodies, heldDocuments } from "../../../src/fetch/transport/byte-budget.ts";
import { deliver } from "../../../src/frontier/batch/deliver.ts";
import type { DocumentMessage, FrontierMessage } from "../../../src/frontier/batch/message.ts";
import type { Deps } from "../../../src/frontier/deps.ts";
import { Ledgers } from "../../../src/frontier/ledgers.ts";
import { deliverDocuments } from "../../../src/frontier/documents/deliver-documents.ts";
import type { NoticeHint } from "../../../src/frontier/visits/notice-hint.ts";
import { heartbeat } from "../../../src/lifecycle/heartbeat.ts";
import { startCrawl } from "../../../src/lifecycle/start.ts";
import { deliverNotices } from "../../../src/notices/deliver-notices.ts";
import { Meter } from "../../../src/store/installation/metered.ts";
import { openStore } from "../../../src/store/store.ts";
import { readOwnHosts } from "../../../src/url/own-host.ts";
import { ownershipOf } from "../ownership-of.ts";
import { ModelBucket } from "./bucket.ts";
import { ModelDatabase } from "./database.ts";
import { asSeenBy } from "./deploy.ts";
import { type FaultPlan, Faults, NO_FAULTS } from "./faults.ts";
import { Gates } from "./gates.ts";
import { type HookRules, ModelHook } from "./hook.ts";
import { Invocation } from "./invocation.ts";
import { Isolates } from "./isolates.ts";
import { modelDepsOf } from "./model-deps.ts";
import type { Surroundings } from "./network.ts";
import { type Ending, MAX_CONSUMER_MS, ModelQueue } from "./queue.ts";
import { Random } from "./random.ts";
import { ModelReader } from "./reader.ts";
import { VirtualTime } from "./time.ts";
import { ModelWeb, type Web } from "./web.ts";

/**
 * A model of the platform for the whole installation: queues, the database, the bucket, gates, isolates and a cron
 * trigger, in virtual time. A seed determines everything. The code under test is what the platform calls: `deliver` for
 * a batch, `heartbeat` for the cron trigger, a `Gatekeeper` in each gate, and operations of the API.
 */

export interface PlatformOptions {
  seed: number;
  web: Web;
  faults?: FaultPlan;
  /** Consumers of the frontier at once. Defaults to 20. */
  consumers?: number;
  /** Messages of a batch. Defaults to 2, as in wrangler.toml. */
  batchSize?: number;
  /** Retries of a message before it goes to the dead-letter queue. Defaults to the number in wrangler.toml. */
  maxRetries?: number;
  retryDelayS?: number;
  /** Failures in a row after which the pipeline gives up a URL. Defaults to the number of the edge. */
  failures?: number;
  /** From one heartbeat to the next. Defaults to a minute. */
  beatMs?: number;
  /** What the receiver of a notice answers, and how long it takes. Defaults to 204 at once. */
  receiver?: (request: NoticeRequest) => NoticeAnswer & { ms: number };
  /** What the installation's hook decides. It has none by default. */
  hook?: HookRules | null;
  /** What the bodies of an isolate may hold together. Defaults to the pipeline's own number. */
  budgetBytes?: number;
  /** The operator's own hosts, as in OWN_HOSTS. Defaults to all hosts of the tests; others may prove that they are. */
  ownHosts?: string;
  /**
   * The number of ledgers. They are databases of their own to the code under test, each with its own turn, latency and
   * faults; but a Durable Object has one storage, so all of them keep their rows there. Defaults to 1.
   */
  ledgers?: number;
  /** Milliseconds that a call of a ledger takes longer, by its number. */
  slowedMs?: Readonly<Record<number, number>>;
  /** Gets a line for each call. */
  trace?: string[] | null;
}

const ACCEPTED = { status: 204, retryAfterMs: null, detail: null, ms: 1 };
const BEAT_MS = 60_000;
const MAX_OUTAGE_MS = 60_000;
/** As in wrangler.toml. */
const MAX_RETRIES = 5;
const MAX_DOCUMENT_RETRIES = 8;
/** As `EDGE_LIMITS` in frontier/deps.ts. */
const EDGE_FAILURES = 8;
/** As fetch/transport/byte-budget.ts. */
const BUDGET_BYTES = 32 * 1_048_576;

/** Its headers go to all hosts of a site. */
const NO_COOKIES = JSON.stringify({ cookies: [], headers: [{ host: "*.test", name: "x-token", value: "hush" }] });
const sessionNamed = (name: string) => ({
  ...{ name, hosts: ["*.test"], cookies: 0, headers: 1 },
  ...{ signedIn: "", temporary: false },
});

/** As if this ledger were the only one, so that a crawl is put there. */
function aloneOn(ledger: number, deps: Deps): Deps {
  const home: Deps = {
    ...deps.ledgers.at(ledger),
    ledgers: new Ledgers<Deps>(
      [ledger],
      () => home,
      () => home,
    ),
  };
  return home;
}

export class Platform {
  readonly time = new VirtualTime();
  readonly random: Random;
  readonly faults: Faults;
  /** That of the first ledger. */
  readonly database: ModelDatabase;
  /** Of each ledger. */
  readonly databases: ModelDatabase[];
  readonly bucket: ModelBucket;
  readonly gates: Gates;
  readonly web: ModelWeb;
  readonly frontier: ModelQueue<FrontierMessage>;
  readonly deadLetters: ModelQueue<FrontierMessage>;
  readonly notices: ModelQueue<NoticeHint>;
  readonly documents: ModelQueue<DocumentMessage>;
  readonly readerWorker: ModelReader;
  readonly hook: ModelHook | null;
  readonly isolates: Isolates;
  readonly counts = { beats: 0, repairs: 0, deploys: 0 };
  /** What invocations threw, for a report. */
  readonly errors: string[] = [];
  readonly #around: Surroundings;
  readonly #budgets: ByteBudget[];
  readonly #failures: number;
  readonly #beatMs: number;
  readonly #receiver: NonNullable<PlatformOptions["receiver"]>;
  #isStopped = false;

  constructor(storage: DurableObjectStorage, options: PlatformOptions) {
    this.#failures = options.failures ?? EDGE_FAILURES;
    this.#beatMs = options.beatMs ?? BEAT_MS;
    this.#receiver = options.receiver ?? (() => ACCEPTED);
    this.random = new Random(options.seed);
    this.faults = new Faults(options.faults ?? NO_FAULTS, this.random);
    const { trace = null } = options;
    const around: Surroundings = { time: this.time, random: this.random, faults: this.faults, trace };
    this.#around = around;
    const { ledgers = 1, slowedMs = {} } = options;
    this.databases = Array.from(
      { length: ledgers },
      (_, ledger) => new ModelDatabase(storage, around, slowedMs[ledger] ?? 0),
    );
    this.database = this.databases[0] as ModelDatabase;
    this.bucket = new ModelBucket(around);
    this.web = new ModelWeb(options.web, around);
    this.readerWorker = new ModelReader(this.web, around);
    this.hook = options.hook ? new ModelHook(options.hook, around) : null;
    const { budgetBytes = BUDGET_BYTES } = options;
    this.#budgets = [bodies, heldDocuments].map(() => new ByteBudget(budgetBytes));
    const { ownHosts } = options;
    const ownership = ownershipOf();
    this.gates = new Gates(around, (...asked) => this.web.fetchRobots(...asked), {
      ...ownership,
      ownHosts: ownHosts === undefined ? ownership.ownHosts : readOwnHosts(ownHosts),
      fetchProof: (origin, { timeoutMs }, hold) => this.web.fetchProof(origin, timeoutMs, hold),
    });
    this.isolates = new Isolates(this.random);
    const deadLetter = { name: "dead-letter", maxBatchSize: 25, maxBatchTimeoutMs: 5_000, maxConcurrency: 1 };
    this.deadLetters = new ModelQueue({ ...deadLetter, maxRetries: 1_000, retryDelayS: 60 }, around);
    const { consumers = 20, batchSize = 2, maxRetries = MAX_RETRIES, retryDelayS = 0 } = options;
    const frontier = { name: "frontier", maxBatchSize: batchSize, maxBatchTimeoutMs: 0, maxConcurrency: consumers };
    this.frontier = new ModelQueue({ ...frontier, maxRetries, retryDelayS }, around, this.deadLetters);
    this.frontier.consume((batch) => this.#deliver(batch, "frontier"));
    this.deadLetters.consume((batch) => this.#deliver(batch, "deadLetter"));
    const documents = { name: "documents", maxBatchSize: 1, maxBatchTimeoutMs: 0, maxConcurrency: 4 };
    const documentRetries = { maxRetries: Math.max(maxRetries, MAX_DOCUMENT_RETRIES), retryDelayS: 10 };
    this.documents = new ModelQueue<DocumentMessage>({ ...documents, ...documentRetries }, around, this.deadLetters);
    this.documents.consume((batch) => {
      const invocation = this.#invokeConsumer();
      return this.#ending(invocation, () => deliverDocuments(batch, this.depsOf(invocation), "none"));
    });
    const notices = { name: "notices", maxBatchSize: 1, maxBatchTimeoutMs: 0, maxConcurrency: 250 };
    this.notices = new ModelQueue({ ...notices, maxRetries: 3, retryDelayS: 10 }, around);
    this.notices.consume((batch) => {
      const invocation = this.#invoke();
      return this.#ending(invocation, () => deliverNotices(batch, this.depsOf(invocation)));
    });
  }

  /** Runs `scenario` beside the platform until it ends, with the time and the random numbers of the model. */
  async run<T>(scenario: () => Promise<T>): Promise<T> {
    const spies = [
      vi.spyOn(Date, "now").mockImplementation(() => this.time.wall.now()),
      vi.spyOn(Math, "random").mockImplementation(() => this.random.next()),
      vi.spyOn(globalThis, "fetch").mockImplementation(this.web.fetch),
      // Budgets of this model, in its time.
      ...[bodies, heldDocuments].map((budget, i) =>
        vi.spyOn(budget, "take").mockImplementation((...asked) => (this.#budgets[i] as ByteBudget).take(...asked)),
      ),
      vi.spyOn(crypto, "randomUUID").mockImplementation(() => this.random.uuid()),
      vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => this.random.fill(array)),
    ];
    const { setTimeout, clearTimeout } = this.time.timers;
    const timers = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
    Object.assign(globalThis, { setTimeout, clearTimeout });
    this.#beatLater();
    try {
      return await this.time.until(scenario());
    } finally {
      this.#isStopped = true;
      for (const spy of spies) spy.mockRestore();
      Object.assign(globalThis, timers);
    }
  }

  /** The dependencies of a reader beside the model: no latency, no fault. */
  get reader(): Deps {
    const bindings = { LEDGER: this.database.bindingOf(null), MIRROR: this.bucket.bindingOf(null) };
    return { ...openStore(bindings, new Meter()), clock: this.time.wall } as unknown as Deps;
  }

  /** A request of the API. Null if it was killed. Throws what the operation throws. */
  async request<T>(operation: (deps: Deps) => Promise<T>): Promise<T | null> {
    const invocation = this.#invoke();
    let result: T | null = null;
    await invocation.run(async () => {
      result = await operation(this.depsOf(invocation));
    });
    return result;
  }

  /**
   * Starts a crawl, without faults. It follows only links by default, and requests a page a second of a host. `list`:
   * the name of a list that it then waits for. `ledger`: where it is put; null for where there is room.
   */
  async start(
    urls: string[],
    changes: Partial<CrawlOptions> = {},
    list?: string,
    ledger: number | null = null,
  ): Promise<string> {
    const politeness = { ...DEFAULT_POLITENESS, delayFactor: 0 };
    const options = { ...DEFAULT_OPTIONS, limit: 100_000, politeness, userAgent: "Test/1", urls };
    this.faults.isOn = false;
    if (changes.session)
      await this.request((deps) => deps.sessions.bring(sessionNamed(changes.session ?? ""), NO_COOKIES, 0));
    const id = await this.request((deps) => {
      const home = ledger === null ? deps : aloneOn(ledger, deps);
      return startCrawl({ ...options, source: "links", ...changes }, home, undefined, "crawl", list);
    });
    this.faults.isOn = true;
    if (id === null) throw new Error("the crawl was not started");
    return id;
  }

  /** New code: new invocations run it, those under way go on with the old one, and gates follow within 300 seconds. */
  deploy(): void {
    this.counts.deploys += 1;
    this.isolates.deploy();
    this.gates.deploy();
  }

  depsOf(invocation: Invocation): Deps {
    return modelDepsOf(invocation, this, this.#around, { failures: this.#failures, receiver: this.#receiver });
  }

  #invoke(): Invocation {
    if (this.faults.strikes("deploy", 0.1)) this.deploy();
    if (this.faults.strikes("isolate forgotten")) this.isolates.forgetOne();
    if (this.faults.strikes("database outage", 0.1)) {
      this.#anyDatabase().outageUntil = this.time.now() + this.random.between(1_000, MAX_OUTAGE_MS);
    }
    if (this.faults.strikes("database full", 0.1)) {
      this.#anyDatabase().fullUntil = this.time.now() + this.random.between(1_000, MAX_OUTAGE_MS);
    }
    if (this.faults.strikes("database at its limit", 0.1))
      this.#anyDatabase().fillFor(this.random.between(1_000, MAX_OUTAGE_MS));
    const isolate = this.isolates.assign();
    if (this.faults.strikes("kill of an isolate", 0.1)) {
      this.time.after(this.random.between(0, 5_000), () => this.isolates.end(isolate));
    }
    return new Invocation(isolate);
  }

  #anyDatabase(): ModelDatabase {
    return this.databases.length === 1 ? this.database : this.random.oneOf(this.databases);
  }

  #invokeConsumer(): Invocation {
    const invocation = this.#invoke();
    this.time.after(MAX_CONSUMER_MS, () => invocation.kill());
    return invocation;
  }

  async #deliver(batch: MessageBatch<FrontierMessage>, role: "frontier" | "deadLetter"): Promise<Ending> {
    const invocation = this.#invokeConsumer();
    const messages = batch.messages.map((message) => ({
      ...message,
      body: asSeenBy(invocation.isolate.version, message.body),
    }));
    return this.#ending(invocation, () =>
      deliver({ ...batch, messages } as typeof batch, role, this.depsOf(invocation), "none"),
    );
  }

  async #ending(invocation: Invocation, code: () => Promise<unknown>): Promise<Ending> {
    try {
      return (await invocation.run(async () => void (await code()))) ? "returned" : "killed";
    } catch (error) {
      this.errors.push(error instanceof Error ? `${error.message}: ${error.cause ?? ""}` : String(error));
      return "threw";
    }
  }

  /** The cron trigger: sometimes on two machines at once. */
  #beatLater(): void {
    this.time.after(this.#beatMs, () => {
      if (this.#isStopped) return;
      this.#beatLater();
      for (let copies = this.faults.strikes("two heartbeats") ? 2 : 1; copies > 0; copies--) {
        this.counts.beats += 1;
        const invocation = this.#invoke();
        void this.#ending(invocation, async () => {
          const { repaired } = await heartbeat(this.depsOf(invocation), "none");
          this.counts.repairs += repaired.length;
        });
      }
    });
  }
}
