import type { Answered, FetchResult } from "../../crawl/page/outcome.ts";
import type { Secrets } from "../../fetch/answer/answer.ts";
import type { PageWants } from "../../fetch/request/page-request.ts";
import type { Attempt } from "../attempt.ts";
import type { Need } from "../lane/invocations.ts";
import type { Answer } from "../lane/lane-driver.ts";
import { neededInvocations } from "../lane/needed-invocations.ts";
import { secretsOf } from "../lane/request-of-work.ts";
import type { SettleDeps } from "../needs.ts";
import type { SecondLook } from "../visits/look-twice.ts";
import type { PageWork, Work } from "../work.ts";
import type { NotFetched, Opening, PageSteps, Turn } from "./feature.ts";
import { FEATURES } from "./list.ts";
import { wantsOf } from "./wants.ts";

/** The features of the pages of one lane, or of one document, each step in the order of the list. */
export class OpenFeatures {
  readonly #steps: readonly PageSteps[];

  private constructor(steps: readonly PageSteps[]) {
    this.#steps = steps;
  }

  static async open(opening: Opening): Promise<OpenFeatures> {
    const steps: PageSteps[] = [];
    for (const feature of FEATURES) {
      const opened = await feature.open?.(opening);
      steps.push(feature, ...(opened == null ? [] : [opened]));
    }
    return new OpenFeatures(steps);
  }

  need(work: Work): Need {
    return neededInvocations(work, this.#steps);
  }

  /** Null if the URL is to be fetched now. */
  before(work: Work): Turn | null {
    let behind: Turn | null = null;
    for (const step of this.#steps) {
      const turn = step.before?.(work) ?? null;
      if (turn !== null && turn.kind !== "behind") return turn;
      behind ??= turn;
    }
    return behind;
  }

  /** Null if the URL may be asked for. */
  async ready(work: PageWork): Promise<NotFetched | null> {
    for (const step of this.#steps) {
      const held = (await step.ready?.(work)) ?? null;
      if (held !== null) return held;
    }
    return null;
  }

  wants(work: PageWork): PageWants {
    return wantsOf(work, this.#steps);
  }

  /** What is secret of a request to the host. The crawl's own headers replace what features send. */
  secretsFor(work: PageWork): Secrets {
    const secrets = this.#steps.map((step) => step.secrets?.(work));
    return Object.assign({}, ...secrets, secretsOf(work.row.url, work.context));
  }

  receive(work: PageWork, answered: Pick<Answered, "setCookies">): void {
    for (const step of this.#steps) step.receive?.(work, answered);
  }

  async after(work: PageWork, { result, now }: Answer<FetchResult>): Promise<FetchResult | "lane"> {
    let last = result;
    for (const step of this.#steps) {
      const next = (await step.after?.(work, { result: last, now })) ?? last;
      if (next === "lane") return next;
      last = next;
    }
    return last;
  }

  /** Returns the attempt without what the page says, which nobody needs afterwards. */
  async end<A extends Attempt | null>(work: Work, attempt: A): Promise<A> {
    for (const step of this.#steps) await step.end?.(work, attempt);
    if (attempt === null) return attempt;
    const { storedVersion: _, ...rest } = attempt;
    return { ...rest, version: null, said: null } as A;
  }

  async close(): Promise<void> {
    for (const step of this.#steps) await step.close?.();
  }
}

/**
 * Decides on an attempt by what is stored. Throws what cannot be read: the URL comes again. `look`: null without a
 * lane.
 */
export async function settleAttempt(
  attempt: Attempt,
  deps: SettleDeps,
  look: SecondLook | null = null,
): Promise<Attempt> {
  let settled = attempt;
  for (const { settle } of FEATURES) settled = (await settle?.(settled, deps, look)) ?? settled;
  return settled;
}
