import { logWarning } from "../../core/log.ts";
import type { FetchResult, PageFetched, Rendering, RenderLesson } from "../../crawl/page/outcome.ts";
import { describeActions } from "../../crawl/page/page-actions.ts";
import {
  decideRender,
  EMPTY_RENDER_MEMORY,
  learnRender,
  type PatternRenders,
  type RenderMemory,
  renderPattern,
} from "../../crawl/page/render-memory.ts";
import type { PageWants } from "../../fetch/request/page-request.ts";
import { hostOf } from "../../url/host-key.ts";
import { isKept } from "../attempt.ts";
import type { Answer } from "../lane/lane-driver.ts";
import { isLastAttempt } from "../lane/request-of-work.ts";
import { crawlAndHost, type PageWork, type Work } from "../work.ts";
import {
  type ExplainedUrl,
  type Feature,
  type FeatureStep,
  mayBeWebPage,
  type Opening,
  type PageSteps,
} from "./feature.ts";

/** Pages that a browser draws, and what is remembered of those that it drew. */
export const rendering: Feature<"render" | "renders"> = {
  open: async (opening) => (mayBeWebPage(opening) ? LaneRenders.open(opening) : null),
  facts(page) {
    const { rendering, shell } = page;
    if (rendering !== undefined) return { rendered: describeRendering(rendering) };
    return isKept(page) ? { shell } : {};
  },
  explain: explainRendering,
};

/** How often a page is drawn again because hosts of what it needs were busy. */
const MAX_REDRAWS = 2;

interface Learned {
  crawl: string;
  host: string;
  lessons: { url: string; lesson: RenderLesson }[];
}

class LaneRenders implements PageSteps<"render" | "renders"> {
  readonly #opening: Opening;
  /** By crawl and host. */
  readonly #known = new Map<string, RenderMemory>();
  readonly #learned = new Map<string, Learned>();

  private constructor(opening: Opening) {
    this.#opening = opening;
  }

  /** One query for each crawl that draws only pages that need it, and none for others. */
  static async open(opening: Opening): Promise<LaneRenders> {
    const lane = new LaneRenders(opening);
    for (const [crawl, own] of Map.groupBy(opening.works.filter(isConcerned), ({ row }) => row.crawl)) {
      const hosts = [...new Set(own.map(({ row }) => hostOf(row.url)))];
      // Without the ledger's answer each page decides for itself.
      const known = await opening.deps.renderMemory.read(crawl, hosts).catch((error) => {
        logWarning("the memory of drawn pages was not read", { error: String(error) });
        return new Map<string, RenderMemory>();
      });
      for (const [host, memory] of known) lane.#known.set(`${crawl} ${host}`, memory);
    }
    return lane;
  }

  wants(work: PageWork): Pick<PageWants, "render" | "renders"> {
    const { id, options } = work.context.crawl;
    const { render: mode, renderOptions: actions, screenshot } = options;
    return {
      render: mode === "never" ? null : { mode, actions, crawl: id, screenshot, redraws: mayRedraw(work) },
      renders: this.#knownOf(work),
    };
  }

  async after(work: PageWork, { result }: Answer<FetchResult>): Promise<FetchResult | "lane"> {
    if (result.kind !== "page") return result;
    if (this.#opening.document?.large?.mayDraw === true) return this.#undrawn(work, result);
    if (result.lesson !== undefined && isConcerned(work)) this.#learn(work, result.lesson);
    return result;
  }

  /** As `readRendered` of the page fetcher, for a large page: no browser draws it here. */
  #undrawn(work: PageWork, page: PageFetched): PageFetched | "lane" {
    if (page.noindex !== null || page.notModified !== null) return page;
    const { render, why } = decideRender("auto", page, this.#knownOf(work), work.row.url);
    if (render) return "lane";
    return why === null ? page : { ...page, shell: why };
  }

  /** What is remembered of the pattern of its URL; null if nothing is. */
  #knownOf({ row }: PageWork): PatternRenders | null {
    return this.#known.get(crawlAndHost(row))?.[renderPattern(row.url)] ?? null;
  }

  #learn({ row }: PageWork, lesson: RenderLesson): void {
    const key = crawlAndHost(row);
    this.#known.set(key, learnRender(this.#known.get(key) ?? EMPTY_RENDER_MEMORY, row.url, lesson));
    const learned = this.#learned.get(key) ?? { crawl: row.crawl, host: hostOf(row.url), lessons: [] };
    learned.lessons.push({ url: row.url, lesson });
    this.#learned.set(key, learned);
  }

  /** Stores what was learned. A fault costs what this lane has learned. */
  async close(): Promise<void> {
    for (const { crawl, host, lessons } of this.#learned.values())
      await this.#opening.deps.renderMemory
        .learn(crawl, host, (known) =>
          lessons.reduce((memory, { url, lesson }) => learnRender(memory, url, lesson), known),
        )
        .catch((error) => logWarning("the memory of drawn pages was not stored", { error: String(error) }));
  }
}

function mayRedraw(work: PageWork): boolean {
  const { attempts, visit } = work.row;
  return visit === null ? !isLastAttempt(work) && attempts < MAX_REDRAWS : visit.failures < MAX_REDRAWS;
}

function isConcerned({ kind, context }: Work): boolean {
  return kind === "page" && context.crawl.options.render === "auto";
}

/** Why a browser drew the page, or why one should have; null for a page that says all by itself. */
function explainRendering({ crawl, record }: ExplainedUrl): FeatureStep | null {
  if (record === null) return null;
  const { shell, rendered } = record;
  const saying = (ok: boolean, rule: string, detail: string): FeatureStep => {
    return { step: { step: "browser", ok, rule, detail }, refuses: false };
  };
  if (rendered !== null) return saying(true, "rendered", `a browser drew the page: ${rendered}`);
  if (shell === null) return null;
  const advice =
    crawl.options.render === "never" ? "; a crawl with --render auto draws it" : ", and no browser drew it";
  return saying(false, "shell", `its text may be missing: ${shell}${advice}`);
}

/** Why a page was drawn, and what was done on it. */
function describeRendering({ why, done, refused: { busy = 0 } }: Rendering): string {
  const missing = busy === 0 ? [] : [`without ${busy} of its requests, because their hosts were busy`];
  return [why, ...(done === undefined ? [] : [describeActions(done)]), ...missing].join("; ");
}
