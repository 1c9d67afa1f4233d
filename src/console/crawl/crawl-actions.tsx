import type { FC } from "hono/jsx";
import type { CrawlView } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import { MAX_LIMIT } from "../../crawl/options/start-options.ts";
import { isOpenStatus } from "../../crawl/page/status.ts";
import { watchFields } from "../new-crawl/crawl-fields.ts";
import { type FormValues, formFromWatch } from "../new-crawl/crawl-form-data.ts";
import { Input } from "../new-crawl/new-crawl-form.tsx";
import { Submit } from "../parts/controls.tsx";
import { FormField, type Problems } from "../parts/field.tsx";

/** The actions on a crawl, as forms that work without scripts. They are hidden from readers with a read-only token. */

/** A watch stays until it is cancelled. */
export const hasEnded = ({ status }: CrawlView) => !isOpenStatus(status);

/** Nothing is fetched for an import: the command that sends its answers goes on with it. */
const mayFetch = ({ purpose }: CrawlView) => purpose !== "import";

/** A completed crawl in one ledger can become a watch, and a watch can visit its pages otherwise. */
export const mayWatch = ({ status, options, purpose }: CrawlView) =>
  !options.dryRun &&
  purpose !== "import" &&
  options.shards === 1 &&
  (status === "completed" || (options.watch !== null && isOpenStatus(status)));

export const Actions: FC<{ crawl: CrawlView }> = ({ crawl }) => {
  const at = `/crawls/${crawl.id}`;
  return (
    <>
      {(crawl.status === "running" || crawl.status === "watching") && (
        <ActionForm id="pause" at={at} text="Pause" primary />
      )}
      {crawl.status === "watching" && <ActionForm id="visits" at={at} text="Visit all pages now" />}
      {crawl.status === "paused" && mayFetch(crawl) && <ActionForm id="resume" at={at} text="Resume" primary />}
      {crawl.counts.errored > 0 && mayFetch(crawl) && (
        <ActionForm id="retry" at={at} text={`Retry ${count(crawl.counts.errored)} failed`} />
      )}
      {!hasEnded(crawl) && (
        <ActionForm id="cancel" at={at} text={crawl.watching?.since == null ? "Cancel" : "Stop watching"} />
      )}
      {mayWatch(crawl) && hasEnded(crawl) && (
        <a class="button" href="#watch-form">
          Watch
        </a>
      )}
      {hasEnded(crawl) && mayFetch(crawl) && (
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

const ActionForm: FC<{ id: string; at: string; text: string; primary?: boolean }> = ({
  id,
  at,
  text,
  primary = false,
}) => (
  <form method="post" action={`${at}/${id}`}>
    <Submit id={id} class={primary ? "primary" : undefined}>
      {text}
    </Submit>
  </form>
);

interface LimitsProps {
  crawl: CrawlView;
  problems: Problems;
}

/** Changes the limits of a crawl that has not ended. */
export const LimitsForm: FC<LimitsProps> = ({ crawl: { id, options }, problems }) => (
  <form class="limits" method="post" action={`/crawls/${id}/limits`}>
    <FormField name="name" label="Name" problems={problems}>
      {(described) => <input id="name" name="name" type="text" maxlength={500} value={options.name} {...described} />}
    </FormField>
    <LimitField name="limit" label="Page limit" value={options.limit} bounds={PAGES} problems={problems} />
    <LimitField
      name="maxCostUsd"
      label={`Cost limit${options.watch === null ? "" : " per month"} (US$), 0 for none`}
      value={options.maxCostUsd}
      bounds={{ min: 0, max: 1_000_000, step: "any" }}
      problems={problems}
    />
    <LimitField
      name="maxBytes"
      label="Size limit (bytes), 0 for none"
      value={options.maxBytes}
      bounds={{ min: 0, max: 1_000_000_000_000_000, step: "1" }}
      problems={problems}
    />
    <LimitField
      name="maxDurationS"
      label="Time limit (s from now), 0 for none"
      value={null}
      bounds={{ min: 0, max: 31_536_000, step: "1" }}
      problems={problems}
    />
    <Submit>Change limits</Submit>
  </form>
);

interface WatchFormProps {
  crawl: CrawlView;
  /** What was typed and refused; null for the watch as it is. */
  typed: FormValues | null;
  problems: Problems;
}

const SUGGESTED_EVERY = "7d";

/** Makes a completed crawl a watch, or changes one. */
export const WatchForm: FC<WatchFormProps> = ({ crawl, typed, problems }) => {
  const isWatch = crawl.options.watch !== null;
  const values = typed ?? (isWatch ? formFromWatch(crawl) : { "watch.everyS": [SUGGESTED_EVERY] });
  return (
    <details class="panel group" id="watch" open={typed !== null}>
      <summary>
        <h2>{isWatch ? "Watch settings" : "Watch this site"}</h2>
        <span class="muted small">
          {isWatch
            ? "How often it visits pages, what it ignores and what it keeps"
            : "Visit the pages again, and tell what changes"}
        </span>
      </summary>
      <form id="watch-form" method="post" action={`/crawls/${crawl.id}/watch`} novalidate>
        <div class="fields">
          {watchFields().map((field) => (
            <Input field={field} values={values} problems={problems} />
          ))}
        </div>
        <p class="last">
          <Submit class="primary">{isWatch ? "Save" : "Start watching"}</Submit>
        </p>
      </form>
    </details>
  );
};

/** Raises the page limit of a crawl that has ended and retries the `skipped` URLs that the limit left out. */
export const RaiseLimitForm: FC<LimitsProps & { skipped: number }> = ({
  crawl: { id, options },
  skipped,
  problems,
}) => (
  <>
    <p>The crawl skipped {plural(skipped, "URL")} because of its page limit. A higher limit continues with them.</p>
    <form class="limits" method="post" action={`/crawls/${id}/retry`}>
      <input type="hidden" name="reason" value="limit" />
      <LimitField
        name="limit"
        label="Page limit"
        value={Math.min(PAGES.max, options.limit + skipped)}
        bounds={PAGES}
        problems={problems}
      />
      <Submit id="raise-limit">Raise the limit and continue</Submit>
    </form>
  </>
);

const PAGES = { min: 1, max: MAX_LIMIT, step: "1" };

interface LimitFieldProps {
  name: string;
  label: string;
  /** Null: it stays as it is unless something is typed. */
  value: number | null;
  bounds: { min: number; max: number; step: string };
  problems: Problems;
}

const LimitField: FC<LimitFieldProps> = ({ name, label, value, bounds, problems }) => (
  <FormField name={name} label={label} problems={problems}>
    {(described) => (
      <input
        id={name}
        name={name}
        type="number"
        value={value ?? ""}
        required={value !== null}
        {...bounds}
        {...described}
      />
    )}
  </FormField>
);
