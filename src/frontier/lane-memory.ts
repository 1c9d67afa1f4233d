import { ALL_SAID } from "../fetch/page-request.ts";
import type { Lane } from "./admit.ts";
import type { Attempt } from "./attempt.ts";
import type { Deps } from "./deps.ts";
import { LaneEndless } from "./lane-endless.ts";
import { LaneRenders } from "./lane-renders.ts";
import { LaneSamePages } from "./lane-same-pages.ts";
import type { Known } from "./request-of-work.ts";
import type { Probe } from "./same-page-texts.ts";
import type { Work } from "./work.ts";

/**
 * What crawls have learned of the hosts of a lane, and what its pages teach: same pages, endless groups, pages that a
 * browser drew. A page that is read without a lane has the same memory.
 */
export class LaneMemory {
  readonly #deps: Deps;
  readonly #samePages: LaneSamePages;
  readonly #endless: LaneEndless;
  readonly renders: LaneRenders;

  private constructor(samePages: LaneSamePages, endless: LaneEndless, renders: LaneRenders, deps: Deps) {
    this.#samePages = samePages;
    this.#endless = endless;
    this.renders = renders;
    this.#deps = deps;
  }

  /** `probe`: asks for pages with which those of the lane are compared. */
  static async open(lane: Pick<Lane, "going">, probe: Probe, deps: Deps): Promise<LaneMemory> {
    const samePages = await LaneSamePages.open(lane, probe, deps);
    const endless = await LaneEndless.open(lane, probe, deps);
    return new LaneMemory(samePages, endless, await LaneRenders.open(lane, deps), deps);
  }

  /** The attempt of a URL that need not be fetched; null if it must be. */
  decide(work: Work): Attempt | null {
    return this.#samePages.decide(work) ?? this.#endless.decide(work);
  }

  /** Whether the URL's turn comes after the others of the lane. */
  isBehind(work: Work): boolean {
    return this.#samePages.isBehind(work);
  }

  /** Whether the page is compared with others of its host. */
  hasPartners(work: Work): boolean {
    return this.#samePages.wants(work);
  }

  /** What is known for the request of a URL. */
  knownOf(work: Work): Known {
    const version = this.#endless.wants(work) ?? (this.hasPartners(work) ? ALL_SAID : null);
    return { hook: this.#deps.hook !== null, version, renders: this.renders.known(work) };
  }

  /** Learns from a page or a redirect, whose version nobody needs afterwards. */
  async learn(attempt: Attempt): Promise<Attempt> {
    await this.#samePages.learn(attempt);
    await this.#endless.learn(attempt);
    return { ...attempt, version: null };
  }

  /** Stores what was learned. Throws if pages might be lost without it. */
  async save(): Promise<void> {
    await this.#samePages.save();
    await this.#endless.save();
    await this.renders.save();
  }
}
