import { Hono } from "hono";
import { ApiProblem, type Mistake } from "../../api/requests/api-problem.ts";
import type { CrawlView, DeletionView } from "../../api/views.ts";
import { bytes, plural } from "../../core/shown-values.ts";
import { apiPath, callApi } from "../call-api.ts";
import { Heading, Page, render } from "../layout.tsx";
import { type FormValues, watchFromForm } from "../new-crawl/crawl-form-data.ts";
import { readForm } from "../new-crawl/read-form.ts";
import type { Console, PageContext } from "../page-context.ts";
import { Submit } from "../parts/controls.tsx";
import { money, shortUrl } from "../parts/numbers.tsx";
import { problemsByField } from "../parts/problems.ts";
import { hasEnded } from "./crawl-actions.tsx";
import { crawlPage } from "./crawl-page.tsx";
import { pagesOf } from "./progress.tsx";

/** The forms of a crawl's page. Each makes one API call and redirects back to the crawl. */

export const actRoutes = new Hono<Console>();

for (const action of ["pause", "resume", "cancel"]) {
  actRoutes.post(`/crawls/:id/${action}`, (c) => runAction(c, (at) => callApi(c, "POST", `${at}/${action}`)));
}

/** Makes all pages of a watch due now. */
actRoutes.post("/crawls/:id/visits", async (c) => runAction(c, (at) => callApi(c, "POST", `${at}/visits`)));

/** Starts a pass, or goes on with the one that runs. */
actRoutes.post("/crawls/:id/analyze", async (c) => {
  const { checkExternal, reindex } = await readForm(c);
  const asked = { checkExternal: checkExternal !== undefined, reindex: reindex !== undefined };
  return runAction(c, (at) => callApi(c, "POST", `${at}/passes`, asked));
});

/** Retries URLs that errored, or those with the reason that the form names. */
actRoutes.post("/crawls/:id/retry", async (c) => {
  const { reason, limit } = readText(await c.req.parseBody());
  const retry = {
    ...(reason === undefined ? {} : { reason }),
    ...(limit === undefined ? {} : { limit: Number(limit) }),
  };
  return runAction(c, (at) => callApi(c, "POST", `${at}/retry`, retry));
});

actRoutes.post("/crawls/:id/limits", async (c) => {
  const { name, limit = "", maxCostUsd = "", maxBytes = "", maxDurationS = "" } = readText(await c.req.parseBody());
  const limits = {
    ...(name === undefined ? {} : { name }),
    ...(limit === "" ? {} : { limit: Number(limit) }),
    ...(maxCostUsd === "" ? {} : { maxCostUsd: Number(maxCostUsd) }),
    ...(maxBytes === "" ? {} : { maxBytes: Number(maxBytes) }),
    ...(maxDurationS === "" ? {} : { maxDurationS: Number(maxDurationS) }),
  };
  return runAction(c, (at) => callApi(c, "PATCH", at, limits));
});

/** Makes a crawl a watch, or changes how it visits its pages. */
actRoutes.post("/crawls/:id/watch", async (c) => {
  const typed = await readForm(c);
  return runAction(c, (at) => callApi(c, "POST", `${at}/watch`, watchFromForm(typed)), typed);
});

/** The confirmation is a page of its own, so that it works without scripts. */
actRoutes.get("/crawls/:id/delete", async (c) => {
  const crawl = await callApi<CrawlView>(c, "GET", apiPath(c));
  const back = `/crawls/${crawl.id}`;
  const seed = shortUrl(crawl.urls[0] ?? "");
  return render(
    c,
    <Page title="Delete a crawl" c={c} section="crawls">
      <Heading title="Delete this crawl?" back={{ href: back, text: seed }} />
      <form class="panel" method="post" action={`${back}/delete`}>
        <p>
          This removes {plural(pagesOf(crawl), "page")} ({bytes(crawl.bytes)}) of <strong class="url">{seed}</strong>{" "}
          and all records of the crawl. It cannot be undone.
        </p>
        {crawl.deletionCostUsd >= 0.01 && (
          <p>On Cloudflare, deleting it costs at most {money(crawl.deletionCostUsd)}: D1 bills deleted rows.</p>
        )}
        {!hasEnded(crawl) && <p>The crawl has not ended. It is cancelled first.</p>}
        <p class="actions end">
          <Submit class="danger">Delete crawl</Submit>
          <a class="button" href={back}>
            Keep crawl
          </a>
        </p>
      </form>
    </Page>,
  );
});

actRoutes.post("/crawls/:id/delete", async (c) => {
  const { done } = await callApi<DeletionView>(c, "DELETE", `${apiPath(c)}?force=true`);
  return c.redirect(`/crawls?deleted${done ? "" : "=soon"}`, 303);
});

/**
 * Shows what the API refused (the crawl's state, or a number) on the crawl's page. `watch`: the values of its form, if
 * it was posted.
 */
async function runAction(
  c: PageContext,
  call: (at: string) => Promise<unknown>,
  watch: FormValues | null = null,
): Promise<Response> {
  try {
    await call(apiPath(c));
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    const { status } = error;
    if (status !== 400 && status !== 409 && status !== 507) throw error;
    const mistakes = watch === null ? error.mistakes : error.mistakes.map(inWatch);
    return crawlPage(c, { status, problems: problemsByField(mistakes), watch });
  }
  return c.redirect(`/crawls/${encodeURIComponent(c.req.param("id") ?? "")}`, 303);
}

/** The form has the names of a crawl's request, which contains the watch. */
function inWatch({ path = "", message, ...mistake }: Mistake): Mistake {
  return { ...mistake, path: `watch.${path}`, message: message.replace(`${path}: `, "") };
}

function readText(
  form: Record<string, unknown>,
): Partial<Record<"reason" | "name" | "limit" | "maxCostUsd" | "maxBytes" | "maxDurationS", string>> {
  const texts = Object.entries(form).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value.trim()] as const] : [],
  );
  return Object.fromEntries(texts);
}
