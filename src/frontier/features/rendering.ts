import { logWarning } from "../../core/log.ts";
import type { FetchResult, PageFetched, Rendering, RenderLesson } from "../../crawl/page/outcome.ts";
import { describeActions } from "../../crawl/page/page-actions.ts";
import {
  decideRender,
  learnRender,
  type PatternRenders,
  type RenderMemory,
  renderPattern,
} from "../../crawl/page/render-memory.ts";
import type { PageWants } from "../../fetch/request/page-request.ts";
import { hostOf } from "../../url/host-key.ts";
import { isKept } from "../attempt.ts";
import type { Answer } from "../lane/lane-driver.ts";
import { LaneLessons } from "../lane/lane-lessons.ts";
import { isLastAttempt } from "../lane/request-of-work.ts";
import type { PageWork, Work } from "../work.ts";
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

interface PageLesson {
  url: string;
  lesson: RenderLesson;
}

function learnAll(memory: RenderMemory, lessons: readonly PageLesson[]): RenderMemory {
  return lessons.reduce((known, { url, lesson }) => learnRender(known, url, lesson), memory);
}

class LaneRenders implements PageSteps<"render" | "renders"> {
  readonly #opening: Opening;
  readonly #memory: LaneLessons<RenderMemory, PageLesson>;

  private constructor(opening: Opening) {
    this.#opening = opening;
    this.#memory = new LaneLessons(opening.deps.renderMemory, opening.deps.learned, learnAll);
  }

  /** One query for each crawl that draws only pages that need it, and none for others. */
  static async open(opening: Opening): Promise<LaneRenders> {
    const lane = new LaneRenders(opening);
    for (const [crawl, own] of Map.groupBy(opening.works.filter(isConcerned), ({ row }) => row.crawl)) {
      const hosts = [...new Set(own.map(({ row }) => hostOf(row.url)))];
      // Without the ledger's answer each page decides for itself.
      await lane.#memory
        .read(crawl, hosts)
        .catch((error) => logWarning("drawn-pages-not-read", { error: String(error) }));
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
    const { lesson } = result;
    if (lesson !== undefined && isConcerned(work)) this.#memory.teach(work, { url: work.row.url, lesson });
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
  #knownOf(work: PageWork): PatternRenders | null {
    return this.#memory.of(work)[renderPattern(work.row.url)] ?? null;
  }

  /** Stores what was learned. A fault costs what this lane has learned. */
  async close(): Promise<void> {
    await this.#memory.store((error) => logWarning("drawn-pages-not-stored", { error: String(error) }));
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
