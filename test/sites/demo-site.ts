import { HTML } from "./handmade-site.ts";
import { type Site, type SiteOptions, startSite } from "./site.ts";

/** A site for the console's tests and pictures: sections, redirects, errors, files and pages behind robots.txt. */

const SECTIONS = ["guides", "reference", "blog", "releases", "people"];
const WORDS =
  "quiet harbour lantern meadow signal timber orchard window copper bridge valley engine drift needle".split(" ");

function titleOf(path: string): string {
  const [, section = "", number = "0"] = /^\/(\w+)\/(\d+)/.exec(path) ?? [];
  if (section === "") return "The Lantern Handbook";
  const n = Number(number);
  const word = WORDS[(n * 7) % WORDS.length] ?? "";
  return `${section.charAt(0).toUpperCase()}${section.slice(1)}: the ${word} ${WORDS[(n * 3 + 1) % WORDS.length]}, part ${n}`;
}

function linksOf(path: string, pages: number): string[] {
  const [, section = "guides", number = "0"] = /^\/(\w+)\/(\d+)/.exec(path) ?? [];
  const n = Number(number);
  if (path === "/") return SECTIONS.flatMap((each) => [1, 2, 3].map((i) => `/${each}/${i}`));
  const next = [n * 2 + 1, n * 2 + 2, n * 2 + 3].filter((each) => each <= pages / SECTIONS.length);
  const odd = [
    ...(n % 9 === 0 ? [`/moved/${n}`] : []),
    ...(n % 11 === 0 ? [`/gone/${n}`] : []),
    ...(n % 17 === 0 ? [`/broken/${n}`] : []),
    ...(n % 7 === 0 ? [`/private/${section}-${n}`] : []),
    ...(n % 8 === 0 ? [`/files/${n}`] : []),
    ...(n % 5 === 0 ? [`/downloads/${n}.zip`, `https://elsewhere.example/${n}`] : []),
  ];
  return ["/", ...next.map((each) => `/${section}/${each}`), ...odd];
}

/** `pages` is approximate; they are in five sections. */
export function startDemoSite(options: SiteOptions & { pages?: number } = {}): Promise<Site> {
  const pages = options.pages ?? 2_500;
  return startSite((request, response) => {
    const path = request.url ?? "/";
    if (path === "/robots.txt") {
      response.writeHead(200, { "content-type": "text/plain" });
      return void response.end("User-agent: *\nDisallow: /private/\n");
    }
    const [, kind = "", number = ""] = path.split("/");
    if (kind === "moved") return void response.writeHead(301, { location: `/guides/${number}` }).end();
    if (kind === "broken") return void response.writeHead(500, HTML).end("broken");
    if (kind === "files") return void response.writeHead(200, { "content-type": "application/pdf" }).end("%PDF-1.7");
    if (path !== "/" && !SECTIONS.includes(kind)) return void response.writeHead(404, HTML).end("not found");
    const title = titleOf(path);
    const links = linksOf(path, pages).map((link) => `<li><a href="${link}">${link}</a></li>`);
    const text = `<p>${`${title}. `.repeat(40 + (Number(number) % 60))}</p>`;
    response.writeHead(200, HTML);
    response.end(
      `<!doctype html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1>${text}<ul>${links.join("")}</ul></body></html>`,
    );
  }, options);
}
