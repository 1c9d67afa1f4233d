import { logWarning } from "../core/log.ts";
import type { PageResult, RenderLesson, SitemapResult } from "../crawl/outcome.ts";
import {
  EMPTY_RENDER_MEMORY,
  learnRender,
  type PatternRenders,
  type RenderMemory,
  renderPattern,
} from "../crawl/render-memory.ts";
import { hostOf } from "../url/host-key.ts";
import type { Lane } from "./admit.ts";
import type { Deps } from "./deps.ts";
import { crawlAndHost, type Work } from "./work.ts";

/** What is remembered of the pages that a browser drew, for the pages of one lane. */

interface Learned {
  crawl: string;
  host: string;
  lessons: { url: string; lesson: RenderLesson }[];
}

export class LaneRenders {
  readonly #deps: Pick<Deps, "renderMemory">;
  /** By crawl and host. */
  readonly #known = new Map<string, RenderMemory>();
  readonly #learned = new Map<string, Learned>();

  private constructor(deps: Pick<Deps, "renderMemory">) {
    this.#deps = deps;
  }

  /** One query for each crawl that draws only pages that need it, and none for others. */
  static async open({ going }: Pick<Lane, "going">, deps: Pick<Deps, "renderMemory">): Promise<LaneRenders> {
    const lane = new LaneRenders(deps);
    for (const [crawl, own] of Map.groupBy(going.filter(isConcerned), ({ row }) => row.crawl)) {
      const hosts = [...new Set(own.map(({ row }) => hostOf(row.url)))];
      // Without the ledger's answer each page decides for itself.
      const known = await deps.renderMemory.read(crawl, hosts).catch((error) => {
        logWarning("the memory of drawn pages was not read", { error: String(error) });
        return new Map<string, RenderMemory>();
      });
      for (const [host, memory] of known) lane.#known.set(`${crawl} ${host}`, memory);
    }
    return lane;
  }

  /** What is remembered of the pattern of its URL; null if nothing is. */
  known({ row }: Work): PatternRenders | null {
    return this.#known.get(crawlAndHost(row))?.[renderPattern(row.url)] ?? null;
  }

  learn(work: Work, result: PageResult | SitemapResult): void {
    if (result.kind !== "page" || result.lesson === undefined || !isConcerned(work)) return;
    const { row } = work;
    const { lesson } = result;
    const key = crawlAndHost(row);
    this.#known.set(key, learnRender(this.#known.get(key) ?? EMPTY_RENDER_MEMORY, row.url, lesson));
    const learned = this.#learned.get(key) ?? { crawl: row.crawl, host: hostOf(row.url), lessons: [] };
    learned.lessons.push({ url: row.url, lesson });
    this.#learned.set(key, learned);
  }

  /** Stores what was learned. A fault costs what this lane has learned. */
  async save(): Promise<void> {
    for (const { crawl, host, lessons } of this.#learned.values())
      await this.#deps.renderMemory
        .learn(crawl, host, (known) =>
          lessons.reduce((memory, { url, lesson }) => learnRender(memory, url, lesson), known),
        )
        .catch((error) => logWarning("the memory of drawn pages was not stored", { error: String(error) }));
  }
}

function isConcerned({ kind, context }: Work): boolean {
  return kind === "page" && context.crawl.options.render === "auto";
}
