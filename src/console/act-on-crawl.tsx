import { Hono } from "hono";
import type { CrawlView, DeletionView } from "../api/views.ts";
import { ApiProblem, callApi } from "./call-api.ts";
import { hasEnded } from "./crawl-actions.tsx";
import { crawlPage } from "./crawl-page.tsx";
import { Heading, Page, render } from "./layout.tsx";
import { bytes, plural, shortUrl } from "./numbers.tsx";
import type { Console, PageContext } from "./page-context.ts";
import { besideFields } from "./problems.ts";
import { pagesOf } from "./progress.tsx";

/** The forms of a crawl's page: each is one call of the API, and leads back to the crawl. */

export const actRoutes = new Hono<Console>();

for (const action of ["pause", "resume", "cancel"]) {
  actRoutes.post(`/crawls/:id/${action}`, (c) => act(c, (at) => callApi(c, "POST", `${at}/${action}`)));
}

/** What failed, or what was left out for a reason that the form names. */
actRoutes.post("/crawls/:id/retry", async (c) => {
  const { reason, limit } = readText(await c.req.parseBody());
  const retry = {
    ...(reason === undefined ? {} : { reason }),
    ...(limit === undefined ? {} : { limit: Number(limit) }),
  };
  return act(c, (at) => callApi(c, "POST", `${at}/retry`, retry));
});

actRoutes.post("/crawls/:id/limits", async (c) => {
  const { limit = "", maxCostUsd = "" } = readText(await c.req.parseBody());
  const limits = {
    ...(limit === "" ? {} : { limit: Number(limit) }),
    ...(maxCostUsd === "" ? {} : { maxCostUsd: Number(maxCostUsd) }),
  };
  return act(c, (at) => callApi(c, "PATCH", at, limits));
});

/** Asked once more, on a page of its own: it works without scripts, and a click too many ends there. */
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
          {plural(pagesOf(crawl), "page")} ({bytes(crawl.bytes)}) of <strong class="url">{seed}</strong> and all its
          records are removed. This cannot be undone.
        </p>
        {!hasEnded(crawl) && <p>It has not ended: it is cancelled first.</p>}
        <p class="actions end">
          <button class="button danger" type="submit">
            Delete it
          </button>
          <a class="button" href={back}>
            Keep it
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

/** What the API refuses for the crawl's state, or for a number, is said on the crawl's page. */
async function act(c: PageContext, call: (at: string) => Promise<unknown>): Promise<Response> {
  try {
    await call(apiPath(c));
  } catch (error) {
    if (!(error instanceof ApiProblem) || (error.status !== 409 && error.status !== 400)) throw error;
    return crawlPage(c, { status: error.status, problems: besideFields(error.mistakes) });
  }
  return c.redirect(`/crawls/${encodeURIComponent(c.req.param("id") ?? "")}`, 303);
}

function readText(form: Record<string, unknown>): Partial<Record<"reason" | "limit" | "maxCostUsd", string>> {
  const texts = Object.entries(form).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value.trim()] as const] : [],
  );
  return Object.fromEntries(texts);
}

function apiPath(c: PageContext): string {
  return `/api/crawls/${encodeURIComponent(c.req.param("id") ?? "")}`;
}
