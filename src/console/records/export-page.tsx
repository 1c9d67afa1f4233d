import { Hono } from "hono";
import type { FC } from "hono/jsx";
import { ApiProblem } from "../../api/requests/api-problem.ts";
import type { BackgroundList, BackgroundView, CrawlView, PassView } from "../../api/views.ts";
import { EXPORT_FORMATS, EXPORTED_NAMES, type ExportFormat } from "../../crawl/export-table.ts";
import { PassState, REFRESH_S } from "../analysis/pass-panel.tsx";
import { apiPath, callApi } from "../call-api.ts";
import { CrawlHeading } from "../crawl/crawl-heading.tsx";
import { Page, render } from "../layout.tsx";
import type { Console, PageContext } from "../page-context.ts";
import { Submit } from "../parts/controls.tsx";
import { bytes } from "../parts/numbers.tsx";

/** The downloads of a crawl, one for each format of an export. */

export const exportPageRoutes = new Hono<Console>();

/** A crawl without packs has no archives, and one without an analysis no graph. */
function linksOf(has: Record<NonNullable<ExportFormat["needs"]>, boolean>) {
  const rows = EXPORTED_NAMES.map((format) => ({
    format: format as string,
    ...(EXPORT_FORMATS[format] as ExportFormat),
  }));
  return rows.filter(({ needs }) => needs === undefined || has[needs]);
}

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
  const isPacked = crawl.options.store === "warc";
  const isAnalyzed = passes.some(({ kind, status }) => kind === "analyze" && status === "completed");
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
      <section class="panel">
        <h2>Download this crawl</h2>
        <ul class="records">
          {linksOf({ packs: isPacked, graph: isAnalyzed }).map(({ format, label, about }) => (
            <li>
              {long.some((each) => each === format) ? (
                <LongExport crawl={crawl} format={format} label={label} mayStart={mayStart} />
              ) : (
                <p>
                  <a href={`${at}/export?format=${format}`} download>
                    {label}
                  </a>
                </p>
              )}
              <p class="muted small">{about}</p>
            </li>
          ))}
          {crawl.watching !== null && crawl.watching.since !== null && (
            <li>
              <p>
                <a href={`${at}/delta`} download="delta.jsonl">
                  Delta
                </a>
              </p>
              <p class="muted small">
                The stored pages as JSON Lines, for an index that follows this watch. Its last line has a cursor. Export
                with it what became of them since: <code>orbweaver export {crawl.id} --since CURSOR</code>
              </p>
            </li>
          )}
          {crawl.watching !== null && crawl.watching.since !== null && (
            <li>
              <p>
                <a href={`${at}/delta?of=chunks`} download="chunk-delta.jsonl">
                  Delta of chunks
                </a>
              </p>
              <p class="muted small">
                The same for an index of chunks:{" "}
                <code>orbweaver export {crawl.id} --format chunk-delta --since CURSOR</code>
              </p>
            </li>
          )}
        </ul>
        {!isPacked && <p class="muted small">A crawl that stores its pages as files has no WARC or WACZ.</p>}
        <p class="muted small">
          A download is whole, or your browser says that it failed. This command saves a file of any size, and folders
          that open offline: <code>orbweaver export {crawl.id} --format FORMAT --out FILE</code>
        </p>
      </section>
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

/** A format that one request may not read: the file is made first. */
const LongExport: FC<{ crawl: CrawlView; format: string; label: string; mayStart: boolean }> = ({
  crawl,
  format,
  label,
  mayStart,
}) => {
  if (format === "sitemap")
    return (
      <p>
        {label}: more pages than one file may list. <code>orbweaver export {crawl.id} --format sitemap --out FILE</code>{" "}
        writes several and an index.
      </p>
    );
  return (
    <form method="post" action={`/crawls/${crawl.id}/export`}>
      <input type="hidden" name="format" value={format} />
      <p>
        {label}: too long for one request, so the file is made first. {mayStart && <Submit>Make the file</Submit>}
      </p>
    </form>
  );
};
