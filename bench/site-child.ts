/** The generated site in its own process. site-process.ts starts it; it ends when its parent disconnects. */
import { pagePath, startGeneratedSite } from "../test/sites/generated-site.ts";
import type { FromSite, SiteReport, ToSite } from "./site-report.ts";

const [pages = 0, links = 0, bytes = 0, ...marks] = process.argv.slice(2).map(Number);

const paths = new Set(Array.from({ length: pages }, (_, i) => pagePath(i)));
const served = new Set<string>();

const site = await startGeneratedSite({
  pages,
  links,
  bytes,
  onFinished: ({ path, status }) => {
    if (status !== 200 || !paths.has(path) || served.has(path)) return;
    served.add(path);
    if (marks.includes(served.size)) send({ kind: "served", pages: served.size });
  },
});

process.on("message", ({ kind }: ToSite) => {
  if (kind === "report") send({ kind: "report", report: report() });
});
process.on("disconnect", () => void site.close());
send({ kind: "listening", origin: site.origin });

function report(): SiteReport {
  const pageRequests = site.log.filter(({ path }) => paths.has(path));
  const done = pageRequests.flatMap(({ finishedAt }) => finishedAt ?? []);
  return {
    pages: served.size,
    pageRequests: pageRequests.length,
    otherRequests: site.log.length - pageRequests.length,
    firstRequestAt: site.log[0]?.startedAt,
    firstPageAt: pageRequests[0]?.startedAt,
    lastPageDoneAt: done.length === 0 ? undefined : done.reduce((a, b) => Math.max(a, b)),
    connections: new Set(site.log.map(({ remotePort }) => remotePort)).size,
  };
}

function send(message: FromSite): void {
  process.send?.(message);
}
