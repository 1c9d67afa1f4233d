import type { FC } from "hono/jsx";
import type { ExplainView } from "../../api/views.ts";
import { Explanations } from "../crawl/explanation.tsx";
import { Submit, UrlInput } from "../parts/controls.tsx";
import { type FormValues, firstValue } from "./crawl-form-data.ts";

/** The scope preview: which URLs a crawl with the form's settings would fetch or refuse. */

/** Each URL is one API call. */
const MAX_TESTED = 8;
const MAX_SEEDS = 3;

/**
 * The URLs to test: those that the user typed, the seeds, and two typical refusals. A foreign host is an example only
 * while the form excludes it; otherwise its robots.txt would be fetched.
 */
export function samplesOf(values: FormValues, crawl: Record<string, unknown>): string[] {
  const typed = firstValue(values, "try")
    .split(/\s+/)
    .filter((url) => url !== "");
  const urls = Array.isArray(crawl.urls) ? crawl.urls.map(String) : [];
  const seeds = [String(crawl.url), ...urls].filter((url) => url !== "").slice(0, MAX_SEEDS);
  const seed = URL.parse(seeds[0] ?? "");
  if (seed === null) return seeds;
  const others = firstValue(values, "options.includeExternalLinks") === "" ? ["https://another-host.example/"] : [];
  return [...new Set([...typed, ...seeds, new URL("/archive.zip", seed).href, ...others])].slice(0, MAX_TESTED);
}

interface PreviewProps {
  explanations: ExplainView[];
  testedUrls: string;
  /** Whether the form has mistakes to correct first. */
  hasMistakes: boolean;
}

export const Preview: FC<PreviewProps> = ({ explanations, testedUrls, hasMistakes }) => (
  <section class="panel preview" aria-labelledby="preview-title">
    <h2 id="preview-title">Test your scope</h2>
    <div class="try">
      <label for="try">URLs to test against these settings</label>
      <div class="with-button">
        <UrlInput id="try" name="try" value={testedUrls} />
        <Submit formaction="/crawls/new/preview">Test</Submit>
      </div>
    </div>
    <div id="preview" aria-live="polite">
      {hasMistakes ? (
        <p class="muted">Correct the marked fields to see the result.</p>
      ) : explanations.length === 0 ? (
        <p class="muted small">
          Shows which URLs are in scope and which rule excludes the others. Only robots.txt is fetched.
        </p>
      ) : (
        <Explanations of={explanations} />
      )}
    </div>
  </section>
);
