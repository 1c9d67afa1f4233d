import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { sessionOf } from "../api/access/auth.ts";
import { safeHeaders } from "../api/access/safe-headers.ts";
import { app } from "../api/app.ts";
import { assetsOf } from "../api/docs/static-file.ts";
import { readReplayAddress } from "../api/replay/replay-address.ts";
import { ApiProblem } from "../api/requests/api-problem.ts";
import { limitBody } from "../api/requests/limit-body.ts";
import { logError } from "../core/log.ts";
import { ABOUT_PATH, aboutCrawlerRoutes } from "./about-crawler.tsx";
import { agentsPageRoutes } from "./agents-page.tsx";
import { fieldsPageRoutes } from "./analysis/fields-page.tsx";
import { labelsPageRoutes } from "./analysis/labels-page.tsx";
import { mapPageRoutes } from "./analysis/map-page.tsx";
import { markRoutes } from "./analysis/mark-pages.tsx";
import { reportPageRoutes } from "./analysis/report-page.tsx";
import { topicPageRoutes } from "./analysis/topic-page.tsx";
import { topicsPageRoutes } from "./analysis/topics-page.tsx";
import { extractionPageRoutes } from "./analysis/extraction-page.tsx";
import { valuesPageRoutes } from "./analysis/values-page.tsx";
import { actRoutes } from "./crawl/act-on-crawl.tsx";
import { crawlListRoutes } from "./crawl/crawl-list.tsx";
import { crawlPageRoutes } from "./crawl/crawl-page.tsx";
import { hostsPageRoutes } from "./crawl/hosts-page.tsx";
import { docsPageRoutes } from "./docs/docs-page.tsx";
import { DOCS_PATH } from "./docs/route-section.tsx";
import { Bare, render } from "./layout.tsx";
import { newCrawlRoutes } from "./new-crawl/new-crawl.tsx";
import { MAX_LIST_BYTES } from "./new-crawl/start-list.ts";
import type { Console, PageContext } from "./page-context.ts";
import { exportPageRoutes } from "./records/export-page.tsx";
import { pageHeaders } from "./records/page-headers.ts";
import { recordPageRoutes } from "./records/record-page.tsx";
import { recordsPageRoutes } from "./records/records-page.tsx";
import { searchPageRoutes } from "./records/search-page.tsx";
import { sessionsPageRoutes } from "./sessions-page.tsx";
import { requireSession, signInRoutes } from "./sign-in.tsx";
import { changesPageRoutes } from "./watch/changes-page.tsx";
import { diffPageRoutes } from "./watch/diff-page.tsx";
import { monthPageRoutes } from "./watch/month-page.tsx";
import { schedulesPageRoutes } from "./watch/schedules-page.tsx";
import { webhooksPageRoutes } from "./watch/webhooks-page.tsx";

/** Everything that the Worker serves: the console's pages and files, then the API. */

/** The files of public/console/ that are served. */
const FILES = [
  "changes.css",
  "chart.js",
  "console.css",
  "docs.css",
  "docs.js",
  "icon.svg",
  "live.js",
  "map.js",
  "more.js",
  "morph.js",
  "page.js",
  "preview.js",
  "records.css",
  "sign-in.js",
  "watch.js",
];
/** Pages that need a session. */
const PAGES = [
  "/",
  "/agents",
  "/crawls",
  "/crawls/*",
  "/schedules",
  "/schedules/*",
  "/sessions",
  "/sessions/*",
  "/search",
];

export const site = new Hono<Console>();

for (const path of [...PAGES, "/sign-in", "/sign-out", ABOUT_PATH, DOCS_PATH, "/console/*"])
  site.use(path, safeHeaders, pageHeaders);

site.get("/console/:file", assetsOf("/console", FILES));
site.route("/", signInRoutes);
site.route("/", aboutCrawlerRoutes);
site.route("/", docsPageRoutes);

/** A file with a list of URLs is longer than any other form. */
function isUpload({ req }: PageContext): boolean {
  return req.path === "/crawls/new" && (req.header("content-type") ?? "").startsWith("multipart/form-data");
}
const limitPage = limitBody();
const limitList = limitBody(MAX_LIST_BYTES);
for (const path of PAGES)
  site.use(path, requireSession, (c, next) => (isUpload(c) ? limitList(c, next) : limitPage(c, next)));
site.get("/", (c) => c.redirect("/crawls", 303));
site.route("/", crawlListRoutes);
site.route("/", newCrawlRoutes);
site.route("/", fieldsPageRoutes);
site.route("/", valuesPageRoutes);
site.route("/", extractionPageRoutes);
site.route("/", crawlPageRoutes);
site.route("/", actRoutes);
site.route("/", recordsPageRoutes);
site.route("/", recordPageRoutes);
site.route("/", changesPageRoutes);
site.route("/", monthPageRoutes);
site.route("/", diffPageRoutes);
site.route("/", mapPageRoutes);
site.route("/", hostsPageRoutes);
site.route("/", reportPageRoutes);
site.route("/", topicsPageRoutes);
site.route("/", labelsPageRoutes);
site.route("/", markRoutes);
site.route("/", topicPageRoutes);
site.route("/", exportPageRoutes);
site.route("/", webhooksPageRoutes);
site.route("/", schedulesPageRoutes);
site.route("/", sessionsPageRoutes);
site.route("/", searchPageRoutes);
site.route("/", agentsPageRoutes);

/** The API serves replays. Browsers without a session go to the sign-in page. */
site.get("/replay/*", async (c, next) => {
  const isAuthorized = c.req.header("authorization") !== undefined || readReplayAddress(c.req.url)?.key != null;
  if (isAuthorized || (await sessionOf(c)) !== null) return next();
  const answer = await requireSession(c, next);
  if (answer instanceof Response) c.res = answer;
  const done = () => Promise.resolve();
  await pageHeaders(c, done);
  await safeHeaders(c, done);
});

for (const path of PAGES) site.all(path, (c) => problemPage(c, 404, `There is no page at ${c.req.path}.`));
site.all("*", (c) => app.fetch(c.req.raw, c.env, c.executionCtx));

site.onError((error, c) => {
  if (error instanceof ApiProblem || error instanceof HTTPException) return problemPage(c, error.status, error.message);
  logError("page-failed", error, { method: c.req.method });
  return problemPage(c, 500, "An internal error occurred. The Worker's log has the details.");
});

const TITLES: Record<number, string> = {
  403: "Not allowed",
  404: "Not found",
  409: "Conflict",
  413: "Too large",
  429: "Too many requests",
  503: "No token configured",
  507: "No room",
};

function problemPage(c: PageContext, status: number, sentence: string): Response | Promise<Response> {
  const title = TITLES[status] ?? "Something went wrong";
  const page = (
    <Bare title={title}>
      <div class="empty">
        <h1>{title}</h1>
        <p>{sentence}</p>
        <p>
          <a class="button" href="/">
            Back to crawls
          </a>
        </p>
      </div>
    </Bare>
  );
  return render(c, page, status as 500);
}
