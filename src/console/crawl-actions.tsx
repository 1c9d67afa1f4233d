import type { FC } from "hono/jsx";
import type { CrawlView } from "../api/views.ts";
import { count } from "./numbers.tsx";

/** What can be done with a crawl, as forms that work without scripts. Whoever only reads is shown none of them. */

export const hasEnded = ({ status }: CrawlView) => status !== "running" && status !== "paused";

export const Actions: FC<{ crawl: CrawlView }> = ({ crawl }) => {
  const at = `/crawls/${crawl.id}`;
  return (
    <>
      {crawl.status === "running" && <Do id="pause" at={at} text="Pause" primary />}
      {crawl.status === "paused" && <Do id="resume" at={at} text="Resume" primary />}
      {crawl.counts.errored > 0 && <Do id="retry" at={at} text={`Retry ${count(crawl.counts.errored)} failed`} />}
      {!hasEnded(crawl) && <Do id="cancel" at={at} text="Cancel" />}
      {hasEnded(crawl) && (
        <a class="button" id="again" href={`/crawls/new?from=${crawl.id}`}>
          Crawl again
        </a>
      )}
      <a class="button danger" id="delete" href={`${at}/delete`}>
        Delete
      </a>
    </>
  );
};

const Do: FC<{ id: string; at: string; text: string; primary?: boolean }> = ({ id, at, text, primary = false }) => (
  <form method="post" action={`${at}/${id}`}>
    <button class={primary ? "button primary" : "button"} id={id} type="submit">
      {text}
    </button>
  </form>
);

/** Raises, or lowers, the limits of a crawl that has not ended. */
export const LimitsForm: FC<{ crawl: CrawlView }> = ({ crawl }) => (
  <form class="limits" method="post" action={`/crawls/${crawl.id}/limits`}>
    <div class="field">
      <label for="limit">Most pages</label>
      <input
        id="limit"
        name="limit"
        type="number"
        min="1"
        max="10000000"
        value={String(crawl.options.limit)}
        required
      />
    </div>
    <div class="field">
      <label for="maxCostUsd">Most cost (US$, 0 is no limit)</label>
      <input
        id="maxCostUsd"
        name="maxCostUsd"
        type="number"
        min="0"
        max="1000000"
        step="any"
        value={String(crawl.options.maxCostUsd)}
        required
      />
    </div>
    <button class="button" type="submit">
      Change limits
    </button>
  </form>
);
