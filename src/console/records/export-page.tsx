import { Hono } from "hono";
import type { CrawlView, PassView } from "../../api/views.ts";
import { EXPORT_FORMATS, EXPORTED_NAMES, type ExportFormat } from "../../crawl/export-table.ts";
import { apiPath, callApi } from "../call-api.ts";
import { CrawlHeading } from "../crawl/crawl-heading.tsx";
import { Page, render } from "../layout.tsx";
import type { Console } from "../page-context.ts";

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

exportPageRoutes.get("/crawls/:id/export", async (c) => {
  const at = apiPath(c);
  const crawl = await callApi<CrawlView>(c, "GET", at);
  const isPacked = crawl.options.store === "warc";
  const passes = await callApi<PassView[]>(c, "GET", `${at}/passes`);
  const isAnalyzed = passes.some(({ kind, status }) => kind === "analyze" && status === "completed");
  return render(
    c,
    <Page title="Export" c={c} section="crawls">
      <CrawlHeading crawl={crawl} tab="export" />
      <section class="panel">
        <h2>Download this crawl</h2>
        <ul class="records">
          {linksOf({ packs: isPacked, graph: isAnalyzed }).map(({ format, label, about }) => (
            <li>
              <p>
                <a href={`${at}/export?format=${format}`} download>
                  {label}
                </a>
              </p>
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
          A large export comes in parts, and a browser saves the first one. This command saves all of them:{" "}
          <code>orbweaver export {crawl.id} --format FORMAT --out FILE</code>
        </p>
      </section>
    </Page>,
  );
});
