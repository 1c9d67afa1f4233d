import type { FC } from "hono/jsx";
import type { ExplainView } from "../api/views.ts";
import { type Filled, first } from "./crawl-form-data.ts";
import { Explanations } from "./explanation.tsx";

/** What a crawl would take and what it would refuse, before it is started. */

/** Each is one question to the API. */
const MOST_TRIED = 8;
const MOST_SEEDS = 3;

/**
 * The URLs to ask about: those that somebody typed, or the seeds and what usually raises questions beside them. Of the latter only such as are
 * refused as the form stands: else their hosts would be asked for robots.txt, and they are nobody's.
 */
export function samplesOf(filled: Filled, crawl: Record<string, unknown>): string[] {
  const tried = first(filled, "try")
    .split(/\s+/)
    .filter((url) => url !== "");
  const urls = Array.isArray(crawl.urls) ? (crawl.urls as string[]) : [];
  const seeds = [String(crawl.url), ...urls].filter((url) => url !== "").slice(0, MOST_SEEDS);
  const seed = URL.parse(seeds[0] ?? "");
  if (seed === null) return seeds;
  const others = first(filled, "options.includeExternalLinks") === "" ? ["https://another-host.example/"] : [];
  return [...new Set([...tried, ...seeds, new URL("/archive.zip", seed).href, ...others])].slice(0, MOST_TRIED);
}

interface PreviewProps {
  explanations: ExplainView[];
  tried: string;
  /** Something in the form has to be mended first. */
  isWrong: boolean;
}

export const Preview: FC<PreviewProps> = ({ explanations, tried, isWrong }) => (
  <section class="panel preview" aria-labelledby="preview-title">
    <h2 id="preview-title">What it would take</h2>
    <div class="try">
      <label for="try">Try URLs against these settings</label>
      <div class="with-button">
        <input
          id="try"
          name="try"
          type="text"
          inputmode="url"
          autocapitalize="none"
          spellcheck={false}
          placeholder="https://example.com/some/page"
          value={tried}
        />
        <button class="button" type="submit" formaction="/crawls/new/preview">
          Try
        </button>
      </div>
    </div>
    <div id="preview" aria-live="polite">
      {isWrong ? (
        <p class="muted">It is shown as soon as what is marked has been mended.</p>
      ) : explanations.length === 0 ? (
        <p class="muted small">
          Which URLs are in scope, and which rule keeps the others out: robots.txt of the host is asked, its pages are
          not.
        </p>
      ) : (
        <Explanations of={explanations} />
      )}
    </div>
  </section>
);
