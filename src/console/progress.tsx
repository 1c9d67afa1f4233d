import type { FC } from "hono/jsx";
import type { CrawlView } from "../api/views.ts";
import { count, plural } from "./numbers.tsx";

/** How far a crawl is: a bar whose parts are its URLs by status. */

const PARTS = ["completed", "skipped", "disallowed", "errored", "cancelled"] as const;

/** The policy of our pages allows no style attributes; the attributes of SVG are as good. */
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
  // All is all: 99.96 is not.
  return `${finished === total ? 100 : Math.min(99, Math.floor(share))}%`;
}

/** Pages kept, without the assets that were kept with them. */
export function pagesOf({ counts, assets }: CrawlView): number {
  return counts.completed - assets.completed;
}

/** Pages a second, over all of its time. */
export function pagesPerSecond(crawl: CrawlView): number {
  return crawl.seconds === 0 ? 0 : pagesOf(crawl) / crawl.seconds;
}
