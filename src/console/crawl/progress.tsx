import type { FC } from "hono/jsx";
import type { CrawlView } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";

/** The progress of a crawl: a bar of its URLs by status. */

const PARTS = ["completed", "skipped", "disallowed", "errored", "cancelled"] as const;

/** An SVG, because the content security policy of our pages forbids style attributes. */
export const ProgressBar: FC<{ crawl: CrawlView }> = ({ crawl }) => {
  const { counts, total, finished } = crawl;
  let x = 0;
  const parts = PARTS.flatMap((part) => {
    const width = total === 0 ? 0 : (counts[part] / total) * 100;
    const from = x;
    x += width;
    return width === 0 ? [] : [<rect class={`part-${part}`} x={`${from}%`} width={`${width}%`} height="100%" />];
  });
  return (
    <svg class="progress" role="img" aria-label={`${count(finished)} of ${plural(total, "URL")} finished`}>
      <rect class="part-open" width="100%" height="100%" />
      {parts}
    </svg>
  );
};

export function percent({ total, finished }: CrawlView): string {
  if (total === 0) return "0%";
  const share = (finished / total) * 100;
  // 99.96% must not round to 100%.
  return `${finished === total ? 100 : Math.min(99, Math.floor(share))}%`;
}

/** Stored pages, without assets. */
export function pagesOf({ counts, assets }: CrawlView): number {
  return counts.completed - assets.completed;
}

/** Average over the whole time of the crawl. */
export function pagesPerSecond(crawl: CrawlView): number {
  return crawl.seconds === 0 ? 0 : pagesOf(crawl) / crawl.seconds;
}
