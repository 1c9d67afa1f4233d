import { RecordedRobots } from "../../../src/frontier/commit/recorded-robots.ts";
import { SeenFilter, SeenFilters } from "../../../src/frontier/commit/seen-filter.ts";
import { Unbilled } from "../../../src/frontier/commit/unbilled.ts";
import { CrawlContexts } from "../../../src/frontier/context.ts";
import { GroupCounts } from "../../../src/frontier/features/endless-groups/group-counts.ts";
import { SamePagePartners } from "../../../src/frontier/features/same-pages/same-page-partners.ts";
import { LearnedMemory } from "../../../src/store/learned/learned-memory.ts";
import { HostTemplates } from "../../../src/frontier/lane/host-templates.ts";
import { RecentAnswers } from "../../../src/frontier/visits/recent-answers.ts";
import type { Invocation } from "./invocation.ts";
import type { Random } from "./random.ts";

/**
 * The isolates that serve invocations. Invocations may share an isolate, which keeps the state of its modules between
 * them, and the platform may end an isolate at any time:
 * https://developers.cloudflare.com/workers/reference/how-workers-works/
 */

/** Filters that are full after some URLs, so that they forget, and say "maybe". */
const smallFilters = () => new SeenFilters(20_000, (memory) => new SeenFilter(memory, 1_024, 100));

export class Isolate {
  /** The version of the code that it runs. */
  readonly version: number;
  readonly running = new Set<Invocation>();
  readonly seen = smallFilters();
  readonly contexts = new CrawlContexts();
  readonly recordedRobots = new RecordedRobots();
  readonly hostTemplates = new HostTemplates();
  readonly recentAnswers = new RecentAnswers();
  readonly samePagePartners = new SamePagePartners();
  readonly groupCounts = new GroupCounts();
  readonly learned = new LearnedMemory();
  readonly unbilled = new Unbilled();

  constructor(version: number) {
    this.version = version;
  }
}

const MAX_ISOLATES = 4;

export class Isolates {
  #live: Isolate[] = [];
  #version = 1;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** The version of the code that new invocations run. */
  get version(): number {
    return this.#version;
  }

  /** An isolate for a new invocation: one that is there, or a new one. */
  assign(): Isolate {
    if (this.#live.length < MAX_ISOLATES && (this.#live.length === 0 || this.#random.chance(0.2))) {
      this.#live.push(new Isolate(this.#version));
    }
    return this.#random.oneOf(this.#live);
  }

  /** Ends an isolate. Its invocations end with it. */
  end(isolate: Isolate): void {
    this.#live = this.#live.filter((one) => one !== isolate);
    for (const invocation of [...isolate.running]) invocation.kill();
  }

  /** Forgets an isolate that serves no invocation, as the platform does without notice. */
  forgetOne(): void {
    const idle = this.#live.find(({ running }) => running.size === 0);
    if (idle !== undefined) this.end(idle);
  }

  /** New invocations run the new code; those under way go on with the old one. */
  deploy(): void {
    this.#version += 1;
    this.#live = [];
  }
}
