/**
 * `npm run bench:render -- [--pages 30] [--delay 0]`: the wall time of a page that a browser draws, when the browser is
 * warm: from its request to that of the next page of the same host, without rests. Each page is a shell whose script
 * makes one request. The browser is the machine's own.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { run } from "../test/e2e/cli.ts";
import { startSite } from "../test/sites/site.ts";
import { median } from "./median.ts";

const { values } = parseArgs({ options: { pages: { type: "string", default: "30" } } });
const pages = Number(values.pages);

const APP = `fetch("/api" + location.pathname).then((answer) => answer.json()).then(({ title, text, links }) => {
  document.title = title;
  const list = links.map((link) => "<li><a href='" + link + "'>" + link + "</a></li>").join("");
  document.getElementById("root").innerHTML = "<h1>" + title + "</h1><p>" + text + "</p><ul>" + list + "</ul>";
})`;

const folder = mkdtempSync(join(tmpdir(), "orbweaver-bench-"));
const site = await startSite((request, response) => {
  const path = request.url ?? "/";
  if (path === "/app.js") return void response.setHeader("content-type", "text/javascript").end(APP);
  if (path.startsWith("/api/")) {
    const links = path === "/api/" ? Array.from({ length: pages }, (_, i) => `/page-${i}`) : ["/"];
    const page = { title: `Page ${path}`, text: "Words that only a script can show. ".repeat(40), links };
    return void response.setHeader("content-type", "application/json").end(JSON.stringify(page));
  }
  if (path !== "/" && !path.startsWith("/page-")) return void response.writeHead(404).end();
  response.setHeader("content-type", "text/html").end('<div id="root"></div><script src="/app.js"></script>');
});
try {
  const args = ["--render", "always", "--delay", "0", "--source", "links", "--state", join(folder, "state"), "--json"];
  const { stdout, stderr } = await run("crawl", `${site.origin}/`, ...args);
  if (!stdout.startsWith("{")) throw new Error(stderr);
  const { completed, seconds } = JSON.parse(stdout) as { completed: number; seconds: number };
  const starts = site.log.filter(({ path }) => /^\/(?:page-\d+)?$/.test(path)).map(({ startedAt }) => startedAt);
  // The first one launches the browser, and pages of different batches have a commit between them.
  const times = starts.slice(2).map((at, i) => at - (starts[i + 1] ?? at));
  const sorted = times.toSorted((a, b) => a - b);
  console.log(`${completed} pages in ${seconds} s`);
  console.log(
    `a warm page: median ${median(times).toFixed(0)} ms, 90% ${sorted[Math.floor(0.9 * sorted.length)]?.toFixed(0)} ms`,
  );
} finally {
  await site.close();
  rmSync(folder, { recursive: true, force: true });
}
