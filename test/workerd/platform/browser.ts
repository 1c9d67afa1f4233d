import type { AnswerResource } from "../../../src/fetch/browser/drawing.ts";
import { Places } from "../../../src/fetch/browser/places.ts";
import { modelSession, type SessionBindings } from "../model-session.ts";
import { type DrawablePage, htmlOf } from "./drawn-page.ts";
import type { Surroundings } from "./network.ts";

/**
 * A model of the browser session, one for the installation: a few pages at once, each of which asks for what its
 * scripts need, takes its time, and breaks now and then. The page fetcher around it is the real one, and so is the
 * gateway that decides about each request.
 */

/** As browser-session.ts. */
const PAGES_AT_ONCE = 3;

/** Expects a request that has these headers. */
type OpenScript = (url: string) => { headers: Record<string, string>; release: () => void };

export class ModelBrowser {
  readonly counts = { drawn: 0, unfinished: 0, refused: 0, broken: 0, billedMs: 0 };
  /** How often a page found no place in time, by URL. */
  readonly givenBack = new Map<string, number>();
  readonly #around: Surroundings;
  readonly #places = new Places(PAGES_AT_ONCE);

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** The bindings of a page fetcher that has this page drawn. */
  bindingsOf(url: string, page: DrawablePage, open: OpenScript): SessionBindings {
    const { time, faults } = this.#around;
    const places = {
      take: async (patienceMs: number) => {
        const hasPlace = await this.#places.take(patienceMs);
        if (!hasPlace) this.givenBack.set(url, (this.givenBack.get(url) ?? 0) + 1);
        return hasPlace;
      },
      release: () => this.#places.release(),
    };
    return modelSession(async ({ timeoutMs }, answer) => {
      if (faults.strikes("browser breaks")) {
        this.counts.broken += 1;
        throw new Error("the browser has gone");
      }
      const startedAt = time.now();
      // Nobody answers the requests of a page whose invocation was killed.
      const isOver = time.sleep(timeoutMs).then(() => "unfinished" as const);
      const ends = await Promise.race([this.#runScripts(page, answer, open), isOver]);
      const browserMs = time.now() - startedAt;
      this.counts[ends] += 1;
      this.counts.billedMs += browserMs;
      return { html: htmlOf(url, page, true), isUnfinished: ends === "unfinished", browserMs };
    }, places);
  }

  async #runScripts({ drawn }: DrawablePage, answer: AnswerResource, open: OpenScript): Promise<"drawn"> {
    const { time } = this.#around;
    for (const url of drawn?.needs ?? []) {
      const { headers, release } = open(url);
      // Of a kind that no other page gets from memory.
      const found = await answer({ url, method: "GET", kind: "fetch", headers }).finally(release);
      if ("refused" in found) this.counts.refused += 1;
    }
    await time.sleep(drawn?.scriptMs ?? 0);
    return "drawn";
  }
}
