import { Hono } from "hono";
import type { FC } from "hono/jsx";
import type { RobotsView } from "../api/robots-view.ts";
import type { CrawlView, HostView } from "../api/views.ts";
import type { TreeLevel } from "../crawl/url-tree.ts";
import { recordsAddress } from "./addresses.ts";
import { ApiProblem, callApi } from "./call-api.ts";
import { CrawlHeading } from "./crawl-heading.tsx";
import { Page, render } from "./layout.tsx";
import { bytes, count, duration, plural } from "./numbers.tsx";
import type { Console, PageContext } from "./page-context.ts";
import { RobotsPanel, TryForm } from "./robots-panel.tsx";

/** A crawl's hosts: what each waits for, and its robots.txt as it was read, with a box to try a URL against it. */

export const hostsPageRoutes = new Hono<Console>();

hostsPageRoutes.get("/crawls/:id/hosts", async (c) => {
  const at = `/api/crawls/${encodeURIComponent(c.req.param("id"))}`;
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
      {typeof robots === "string" ? (
        <section class="panel" id="robots">
          <h2>robots.txt</h2>
          <p class="notice problem" role="alert">
            {robots}
          </p>
          <TryForm crawl={crawl} origin={origin} url={url} />
        </section>
      ) : (
        <RobotsPanel crawl={crawl} robots={robots} url={url} />
      )}
    </Page>,
  );
});

/** A sentence where the question was wrong. What is typed in may be of another origin than the one that is shown: then that one is meant. */
async function readRobots(c: PageContext, at: string, origin: string, url: string): Promise<RobotsView | string> {
  const absolute = url.startsWith("/") && origin !== "" ? new URL(url, origin).href : url;
  const query = new URLSearchParams(absolute !== "" ? { url: absolute } : origin !== "" ? { origin } : {});
  try {
    return await callApi<RobotsView>(c, "GET", `${at}/robots?${query}`);
  } catch (error) {
    if (error instanceof ApiProblem && (error.status === 404 || error.status === 400)) return error.message;
    throw error;
  }
}

interface HostsProps {
  crawl: CrawlView;
  /** The uppermost level of the tree. */
  origins: TreeLevel;
  hosts: HostView[];
}

const HostsTable: FC<HostsProps> = ({ crawl, origins, hosts }) => {
  const waits = new Map(hosts.map((host) => [host.host, host]));
  return (
    <section class="panel">
      <h2>Hosts</h2>
      <div class="table">
        <table>
          <thead>
            <tr>
              <th scope="col">Host</th>
              <th scope="col" class="number">
                URLs
              </th>
              <th scope="col" class="number mid">
                Pages
              </th>
              <th scope="col" class="number mid">
                Size
              </th>
              <th scope="col" class="number wide">
                Rest
              </th>
              <th scope="col" class="wide">
                Waits for
              </th>
              <th scope="col">robots.txt</th>
            </tr>
          </thead>
          <tbody>
            {origins.children.map(({ segment: origin, urls, completed, bytes: size }) => {
              const { host, hostname } = new URL(origin);
              const wait = waits.get(hostname);
              return (
                <tr>
                  <th scope="row" class="url">
                    <a href={recordsAddress(crawl, { host })}>
                      {origin.startsWith("http://") ? origin.slice(0, -1) : host}
                    </a>
                  </th>
                  <td class="number">{count(urls)}</td>
                  <td class="number mid">{count(completed)}</td>
                  <td class="number mid">{bytes(size)}</td>
                  <td class="number wide">{wait === undefined ? "–" : duration(wait.delayMs / 1000)}</td>
                  <td class="wide">
                    {wait?.why ?? "–"}{" "}
                    {wait !== undefined && wait.failures > 0 && (
                      <span class="tag">{plural(wait.failures, "failure")} in a row</span>
                    )}
                  </td>
                  <td>
                    <a href={`/crawls/${crawl.id}/hosts?${new URLSearchParams({ origin })}#robots`}>
                      Read it
                      <span class="visually-hidden"> for {origin}</span>
                    </a>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
};
