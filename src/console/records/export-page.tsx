import { Hono } from "hono";
import type { FC } from "hono/jsx";
import { ApiProblem } from "../../api/requests/api-problem.ts";
import type { BackgroundList, BackgroundView, CrawlView, PassView } from "../../api/views.ts";
import { bytes } from "../../core/shown-values.ts";
import { EXPORT_FORMATS, EXPORT_GROUPS, type ExportGroup } from "../../crawl/export-table.ts";
import { PassState, REFRESH_S } from "../analysis/pass-panel.tsx";
import { apiPath, callApi } from "../call-api.ts";
import { CrawlHeading } from "../crawl/crawl-heading.tsx";
import { Page, render } from "../layout.tsx";
import type { Console, PageContext } from "../page-context.ts";
import { FormatGroup } from "./export-group.tsx";

/** The downloads of a crawl, one for each format of an export, in groups by what they are for. */

export const exportPageRoutes = new Hono<Console>();

exportPageRoutes.get("/crawls/:id/export", (c) => exportPage(c));

exportPageRoutes.post("/crawls/:id/export", async (c) => {
  const { format } = await c.req.parseBody();
  try {
    await callApi(c, "POST", `${apiPath(c)}/exports`, { format: String(format ?? "") });
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 409) throw error;
    return exportPage(c, error.message);
  }
  return c.redirect(`/crawls/${encodeURIComponent(c.req.param("id"))}/export`, 303);
});

async function exportPage(c: PageContext, problem: string | null = null): Promise<Response> {
  const at = apiPath(c);
  const [crawl, passes, { exports, long }] = await Promise.all([
    callApi<CrawlView>(c, "GET", at),
    callApi<PassView[]>(c, "GET", `${at}/passes`),
    callApi<BackgroundList>(c, "GET", `${at}/exports`),
  ]);
  const has = {
    packs: crawl.options.store === "warc",
    graph: passes.some(({ kind, status }) => kind === "analyze" && status === "completed"),
  };
  const isRunning = exports.some(({ status }) => status === "running");
  const mayStart = c.get("access") === "all" && crawl.status !== "running" && !isRunning;
  return render(
    c,
    <Page title="Export" c={c} section="crawls" scripts={["live.js"]}>
      <CrawlHeading crawl={crawl} tab="export" />
      {problem !== null && (
        <p class="notice problem" role="alert">
          {problem}
        </p>
      )}
      <div id="made" data-live data-every={isRunning ? REFRESH_S : undefined}>
        {exports.length > 0 && <MadeFiles exports={exports} />}
      </div>
      <div class="columns">
        {(Object.keys(EXPORT_GROUPS) as ExportGroup[]).map((group) => (
          <FormatGroup group={group} crawl={crawl} has={has} long={long} mayStart={mayStart} />
        ))}
      </div>
      <p class="muted small">
        A download is whole, or your browser says that it failed. This command saves a file of any size:{" "}
        <code>orbweaver export {crawl.id} --format FORMAT --out FILE</code>
      </p>
    </Page>,
    problem === null ? 200 : 409,
  );
}

const MadeFiles: FC<{ exports: readonly BackgroundView[] }> = ({ exports }) => (
  <section class="panel">
    <h2>Made in the background</h2>
    <ul class="records">
      {exports.map((made) => (
        <li>
          <p>
            {made.file === null ? (
              labelOf(made.format)
            ) : (
              <a href={made.file} download>
                {labelOf(made.format)}
              </a>
            )}
            {made.bytes !== null && ` (${bytes(made.bytes)})`}
          </p>
          <p class="muted small">
            <PassState pass={made} />
          </p>
        </li>
      ))}
    </ul>
  </section>
);

function labelOf(format: BackgroundView["format"]): string {
  return format === null ? "Export" : EXPORT_FORMATS[format].label;
}
