import type { FC } from "hono/jsx";
import type { CrawlView } from "../api/views.ts";
import { Beside, type Problems } from "./field.tsx";
import { count, plural } from "./numbers.tsx";

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

interface LimitsProps {
  crawl: CrawlView;
  problems: Problems;
}

/** Raises, or lowers, the limits of a crawl that has not ended. */
export const LimitsForm: FC<LimitsProps> = ({ crawl: { id, options }, problems }) => (
  <form class="limits" method="post" action={`/crawls/${id}/limits`}>
    <LimitField name="limit" label="Most pages" value={options.limit} bounds={PAGES} problems={problems} />
    <LimitField
      name="maxCostUsd"
      label="Most cost (US$), 0 is no limit"
      value={options.maxCostUsd}
      bounds={{ min: 0, max: 1_000_000, step: "any" }}
      problems={problems}
    />
    <button class="button" type="submit">
      Change limits
    </button>
  </form>
);

/** Lets a crawl that has ended at its limit go on to a higher one. `left` URLs were left out for it. */
export const GoOnForm: FC<LimitsProps & { left: number }> = ({ crawl: { id, options }, left, problems }) => (
  <>
    <p>{plural(left, "URL")} had no room below its limit, and can be taken up now.</p>
    <form class="limits" method="post" action={`/crawls/${id}/retry`}>
      <input type="hidden" name="reason" value="limit" />
      <LimitField
        name="limit"
        label="Most pages"
        value={Math.min(PAGES.max, options.limit + left)}
        bounds={PAGES}
        problems={problems}
      />
      <button class="button" type="submit" id="go-on">
        Raise the limit and go on
      </button>
    </form>
  </>
);

const PAGES = { min: 1, max: 10_000_000, step: "1" };

interface LimitFieldProps {
  name: string;
  label: string;
  value: number;
  bounds: { min: number; max: number; step: string };
  problems: Problems;
}

const LimitField: FC<LimitFieldProps> = ({ name, label, value, bounds, problems }) => (
  <Beside name={name} label={label} problems={problems}>
    {(described) => (
      <input id={name} name={name} type="number" value={String(value)} required {...bounds} {...described} />
    )}
  </Beside>
);
