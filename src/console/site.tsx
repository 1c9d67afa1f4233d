import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { ApiProblem } from "../api/api-problem.ts";
import { app } from "../api/app.ts";
import { sessionOf } from "../api/auth.ts";
import { limitBody } from "../api/limit-body.ts";
import { readReplayAddress } from "../api/replay-address.ts";
import { safeHeaders } from "../api/safe-headers.ts";
import { assetsOf } from "../api/static-file.ts";
import { logError } from "../core/log.ts";
import { ABOUT_PATH, aboutCrawlerRoutes } from "./about-crawler.tsx";
import { actRoutes } from "./act-on-crawl.tsx";
import { agentsPageRoutes } from "./agents-page.tsx";
import { changesPageRoutes } from "./changes-page.tsx";
import { crawlListRoutes } from "./crawl-list.tsx";
import { crawlPageRoutes } from "./crawl-page.tsx";
import { diffPageRoutes } from "./diff-page.tsx";
import { exportPageRoutes } from "./export-page.tsx";
import { fieldsPageRoutes } from "./fields-page.tsx";
import { hostsPageRoutes } from "./hosts-page.tsx";
import { labelsPageRoutes } from "./labels-page.tsx";
import { Bare, render } from "./layout.tsx";
import { mapPageRoutes } from "./map-page.tsx";
import { markRoutes } from "./mark-pages.tsx";
import { newCrawlRoutes } from "./new-crawl.tsx";
import type { Console, PageContext } from "./page-context.ts";
import { pageHeaders } from "./page-headers.ts";
import { recordPageRoutes } from "./record-page.tsx";
import { recordsPageRoutes } from "./records-page.tsx";
import { reportPageRoutes } from "./report-page.tsx";
import { schedulesPageRoutes } from "./schedules-page.tsx";
import { searchPageRoutes } from "./search-page.tsx";
import { requireSession, signInRoutes } from "./sign-in.tsx";
import { topicPageRoutes } from "./topic-page.tsx";
import { topicsPageRoutes } from "./topics-page.tsx";
import { webhooksPageRoutes } from "./webhooks-page.tsx";

/** Everything that the Worker serves: the console's pages and files, then the API. */

/** The files of public/console/ that are served. */
const FILES = [
  "changes.css",
  "chart.js",
  "console.css",
  "icon.svg",
  "live.js",
  "map.js",
  "more.js",
  "morph.js",
  "page.js",
  "preview.js",
  "records.css",
  "watch.js",
];
/** Pages that need a session. */
const PAGES = ["/", "/agents", "/crawls", "/crawls/*", "/schedules", "/schedules/*", "/search"];

export const site = new Hono<Console>();

for (const path of [...PAGES, "/sign-in", "/sign-out", ABOUT_PATH, "/console/*"])
  site.use(path, safeHeaders, pageHeaders);

site.get("/console/:file", assetsOf("/console", FILES));
site.route("/", signInRoutes);
site.route("/", aboutCrawlerRoutes);

for (const path of PAGES) site.use(path, requireSession, limitBody());
site.get("/", (c) => c.redirect("/crawls", 303));
site.route("/", crawlListRoutes);
site.route("/", newCrawlRoutes);
site.route("/", fieldsPageRoutes);
site.route("/", crawlPageRoutes);
site.route("/", actRoutes);
site.route("/", recordsPageRoutes);
site.route("/", recordPageRoutes);
site.route("/", changesPageRoutes);
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
