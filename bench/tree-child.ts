/**
 * The hosts of bench/shards.ts, in a process of their own: all addresses of 127.0.0.0/8 on one port. It ends when its
 * parent disconnects. Argument: the shape, as JSON.
 */
import { startSite } from "../test/sites/site.ts";
import { linksOf, numberIn, pathOf, type Tree } from "./tree.ts";

/** What the hosts have served. */
export interface TreeReport {
  /** Different pages, and requests for pages. */
  pages: number;
  requests: number;
}

const tree = JSON.parse(process.argv[2] ?? "") as Tree;
const served = new Uint8Array(tree.pages);
let pages = 0;
let requests = 0;

const site = await startSite(
  (request, response) => {
    site.log.length = 0;
    const path = request.url ?? "";
    const page = numberIn(path);
    if (page === null || page >= tree.pages) {
      response.writeHead(path === "/robots.txt" ? 200 : 404, { "content-type": "text/plain" }).end();
      return;
    }
    response.writeHead(200, { "content-type": "text/html" }).end(bodyOf(page));
    requests += 1;
    if (served[page] === 0) pages += 1;
    served[page] = 1;
  },
  { host: "0.0.0.0" },
);
process.on("message", () => process.send?.({ pages, requests } satisfies TreeReport));
process.on("disconnect", () => void site.close());
process.send?.({ port: site.port });

function bodyOf(page: number): string {
  const links = linksOf(page, tree).map((to) => `<li><a href="${originOf(to)}${pathOf(to)}">page ${to}</a></li>`);
  return `<!doctype html><title>Page ${page}</title><h1>Page ${page}</h1><p>The text of page ${page}.</p><ul>${links.join("")}</ul>`;
}

function originOf(page: number): string {
  return `http://${tree.hosts[page % tree.hosts.length]}:${site.port}`;
}
