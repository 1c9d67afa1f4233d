import { Hono } from "hono";
import type { CrawlView, HostView, RobotsView } from "../../api/views.ts";
import type { TreeLevel } from "../../crawl/page/url-tree.ts";
import { apiPath, callApi, callApiOrMessage } from "../call-api.ts";
import { Page, render } from "../layout.tsx";
import type { Console, PageContext } from "../page-context.ts";
import { CrawlHeading } from "./crawl-heading.tsx";
import { HostsTable } from "./hosts-table.tsx";
import { RobotsPanel, TestUrlForm } from "./robots-panel.tsx";
import { SamePagesPanel } from "./same-pages-panel.tsx";

/** A crawl's hosts with their delays, and a parsed robots.txt with a form that tests URLs against it. */

export const hostsPageRoutes = new Hono<Console>();

hostsPageRoutes.get("/crawls/:id/hosts", async (c) => {
  const at = apiPath(c);
  const origin = c.req.query("origin") ?? "";
  const url = c.req.query("url")?.trim() ?? "";
  const [crawl, origins, hosts, robots] = await Promise.all([
    callApi<CrawlView>(c, "GET", at),
    callApi<TreeLevel>(c, "GET", `${at}/tree`),
    callApi<HostView[]>(c, "GET", `${at}/hosts`),
    readRobots(c, at, origin, url),
  ]);
  return render(
    c,
    <Page title="Hosts" c={c} section="crawls" styles={["records.css"]}>
      <CrawlHeading crawl={crawl} tab="hosts" />
      <HostsTable crawl={crawl} origins={origins} hosts={hosts} />
      <SamePagesPanel hosts={hosts} />
      {typeof robots === "string" ? (
        <section class="panel" id="robots">
          <h2>robots.txt</h2>
          <p class="notice problem" role="alert">
            {robots}
          </p>
          <TestUrlForm crawl={crawl} origin={origin} url={url} />
        </section>
      ) : (
        <RobotsPanel crawl={crawl} robots={robots} url={url} />
      )}
    </Page>,
  );
});

/** An absolute URL selects its own origin, whatever `origin` says. */
function readRobots(c: PageContext, at: string, origin: string, url: string): Promise<RobotsView | string> {
  const absolute = url.startsWith("/") && origin !== "" ? new URL(url, origin).href : url;
  const query = new URLSearchParams(absolute !== "" ? { url: absolute } : origin !== "" ? { origin } : {});
  return callApiOrMessage<RobotsView>(c, `${at}/robots?${query}`);
}
