import { type Site, type SiteOptions, startSite } from "./site.ts";

/** Sites whose pages are empty until their scripts have run. */

export const ROUTES = ["/", "/shop", "/shop/boots", "/about"];

const SHELL =
  '<!doctype html><html><head><title>Loading</title></head><body><div id="root"></div><script src="/app.js"></script></body></html>';

const APP = `
const element = (html) => { const made = document.createElement("div"); made.innerHTML = html; return made; };
(async () => {
  const page = await (await fetch("/api" + location.pathname)).json();
  document.title = page.title;
  const links = page.links.map((link) => "<li><a href='" + link + "'>" + link + "</a></li>").join("");
  document.getElementById("root").append(element("<h1>" + page.title + "</h1><p>" + page.text + "</p><ul>" + links + "</ul>"));
})();`;

/** What the page of a route says. */
export function wordsOf(route: string): string {
  return `The page of ${route} says at some length what only a script can show to those who read it.`;
}

/** A site with one shell for all of its routes. robots.txt forbids \`/private\`. */
export async function startScriptSite(options: SiteOptions = {}): Promise<Site> {
  return startSite((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://site");
    if (pathname === "/robots.txt") return void response.end("User-agent: *\nDisallow: /private\n");
    if (pathname.startsWith("/sitemap")) return void response.writeHead(404).end();
    if (pathname === "/app.js") return void response.setHeader("content-type", "text/javascript").end(APP);
    if (pathname.startsWith("/api/")) {
      const route = pathname.slice("/api".length);
      const links = ROUTES.filter((other) => other !== route);
      const page = { title: `Route ${route}`, text: wordsOf(route), links };
      return void response.setHeader("content-type", "application/json").end(JSON.stringify(page));
    }
    response.setHeader("content-type", "text/html").end(SHELL);
  }, options);
}
