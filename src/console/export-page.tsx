import { Hono } from "hono";
import type { CrawlView, PassView } from "../api/views.ts";
import { apiPath, callApi } from "./call-api.ts";
import { CrawlHeading } from "./crawl-heading.tsx";
import { Page, render } from "./layout.tsx";
import type { Console } from "./page-context.ts";

/** The downloads of a crawl, one for each format of an export. */

export const exportPageRoutes = new Hono<Console>();

const FORMATS = [
  { format: "jsonl", text: "JSON Lines", about: "All records, one JSON object a line." },
  { format: "csv", text: "CSV", about: "All records, for a spreadsheet." },
  { format: "parquet", text: "Parquet", about: "All records as columns with their types, for DuckDB or pandas." },
  { format: "markdown", text: "Markdown", about: "The stored pages in one file, each with its front matter." },
  { format: "chunks", text: "Chunks", about: "The Markdown in parts, cut at headings, one JSON object a line." },
  {
    format: "llms",
    text: "llms.txt",
    about: "A list of the stored pages in Markdown, with a section for each folder.",
  },
  {
    format: "llms-full",
    text: "llms-full.txt",
    about: "The Markdown of all stored pages in one file, with their sources.",
  },
  { format: "sitemap", text: "Sitemap", about: "The stored pages as an XML sitemap." },
];
const ARCHIVES = [
  {
    format: "warc",
    text: "WARC",
    about: "Every answer that the crawl kept, with its request, for tools such as pywb.",
  },
  { format: "wacz", text: "WACZ", about: "The same with an index and a list of pages, for ReplayWeb.page." },
];

const CLEAN = {
  format: "markdown&clean=true",
  text: "Clean Markdown",
  about: "The same without what many pages of the site repeat, such as menus.",
};
const GRAPHS = [
  CLEAN,
  { format: "graphml", text: "GraphML", about: "The link graph, for Gephi or NetworkX." },
  { format: "graph-nodes", text: "Nodes (Parquet)", about: "The URLs of the link graph, with their PageRank." },
  { format: "graph-edges", text: "Edges (Parquet)", about: "The links of the link graph, by the ids of its nodes." },
];

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
          {[...FORMATS, ...(isPacked ? ARCHIVES : []), ...(isAnalyzed ? GRAPHS : [])].map(({ format, text, about }) => (
            <li>
              <p>
                <a href={`${at}/export?format=${format}`} download>
                  {text}
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
