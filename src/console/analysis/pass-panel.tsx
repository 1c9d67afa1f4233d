import type { FC } from "hono/jsx";
import type { CrawlView, PassView, ReindexPriceView } from "../../api/views.ts";
import { plural } from "../../core/shown-values.ts";
import { apiPath, callApi } from "../call-api.ts";
import type { PageContext } from "../page-context.ts";
import { Submit } from "../parts/controls.tsx";
import { sentence, Time } from "../parts/numbers.tsx";

/** The last pass over a crawl, and the button that starts one. */

/** While a pass runs, the page asks for its state so often. */
export const REFRESH_S = 3;

/** Null if the crawl has no search index, or runs: then it cannot be analyzed. */
export async function callReindexPrice(c: PageContext, crawl: CrawlView): Promise<ReindexPriceView | null> {
  return crawl.options.search && crawl.status !== "running"
    ? callApi(c, "GET", `${apiPath(c)}/passes/reindex-price`)
    : null;
}

/** The newest pass of a kind, whether it runs, and whether this visitor may start one now. */
export function passToShow(c: PageContext, crawl: CrawlView, passes: readonly PassView[], kind: PassView["kind"]) {
  const pass = passes.find((each) => each.kind === kind) ?? null;
  return { pass, ...startable(crawl, pass, c.get("access") === "all") };
}

function startable(crawl: CrawlView, pass: PassView | null, mayAct: boolean) {
  const isRunning = pass?.status === "running";
  return { isRunning, mayStart: mayAct && crawl.status !== "running" && !isRunning };
}

interface PassProps {
  crawl: CrawlView;
  /** The newest pass; null before the first. */
  pass: PassView | null;
  /** The price of reindexing; null if that is not offered. */
  price: ReindexPriceView | null;
  mayAct: boolean;
}

export const PassPanel: FC<PassProps> = ({ crawl, pass, price, mayAct }) => {
  const { isRunning, mayStart } = startable(crawl, pass, mayAct);
  if (pass === null && !mayStart) return null;
  return (
    <section class="panel" id="analysis" data-live data-every={isRunning ? REFRESH_S : undefined}>
      <h2>Analysis</h2>
      <p>{pass === null ? "Read the links of all pages, and rank the pages." : <PassState pass={pass} />}</p>
      {mayStart && (
        <form method="post" action={`/crawls/${crawl.id}/analyze`}>
          <div class="check">
            <input
              id="check-external"
              type="checkbox"
              name="checkExternal"
              value="on"
              checked={pass?.checkExternal ?? false}
            />
            <label for="check-external">
              Check links to other sites: each URL is asked once, at the pace of its host
            </label>
          </div>
          {price !== null && (
            <div class="check">
              <input id="reindex" type="checkbox" name="reindex" value="on" />
              <label for="reindex">
                Leave out of the search what many pages repeat: at most {price.maxUsd.toFixed(6)} USD on Cloudflare
              </label>
            </div>
          )}
          <Submit id="analyze">{pass === null ? "Analyze" : "Analyze again"}</Submit>
        </form>
      )}
    </section>
  );
};

/** Where a pass is, or when it ended. */
type ShownPass = Pick<PassView, "status" | "stage" | "stepsDone" | "steps" | "startedAt" | "finishedAt" | "error">;

export const PassState: FC<{ pass: ShownPass }> = ({
  pass: { status, stage, stepsDone, steps, startedAt, finishedAt, error },
}) => {
  if (status === "running")
    return (
      <>
        {stage}: {steps === null ? plural(stepsDone, "step") : `${stepsDone} of ${plural(steps, "step")}`} done. It
        began <Time at={startedAt} />.
      </>
    );
  return (
    <>
      {status === "completed" ? "Completed" : sentence(error ?? "")} <Time at={finishedAt ?? startedAt} />
    </>
  );
};
