/** A generated site of any size with distinct pages of one shape, to measure throughput and completeness. */
import { type Site, type SiteOptions, startSite } from "./site.ts";

export interface SiteSize {
  pages: number;
  /** Links per page to distinct other pages; fewer if the site has fewer pages. */
  links: number;
  /** Bytes per page; more if the links alone need more. */
  bytes: number;
}

export const DEFAULT_SIZE: SiteSize = { pages: 3000, links: 100, bytes: 17_000 };

/** Links in the navigation and in the footer; the other links are in the text. */
const NAV_LINKS = 12;
const FOOTER_LINKS = 8;

export function pagePath(i: number): string {
  return i === 0 ? "/" : `/articles/${i}.html`;
}

/** ASCII; the same `i` and size always give the same bytes. All pages differ and are reachable from page 0, `/`. */
export function generatedPage(i: number, size: SiteSize): string {
  const random = randomFrom(i);
  const anchors = linkedPages(i, size, random).map((page) => `<a href="${pagePath(page)}">${title(page)}</a>`);
  const nav = anchors.slice(0, NAV_LINKS);
  const inText = anchors.slice(NAV_LINKS, Math.max(NAV_LINKS, anchors.length - FOOTER_LINKS));
  const footer = anchors.slice(NAV_LINKS + inText.length);

  const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title(i)}</title>
<meta name="description" content="${sentence(random)}">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<nav><ul>${nav.map((anchor) => `<li>${anchor}</li>`).join("")}</ul></nav>
<main><article>
<h1>${title(i)}</h1>
`;
  const tail = `</article></main>
<footer><p>Article ${i} of ${size.pages}</p><ul>${footer.map((anchor) => `<li>${anchor}</li>`).join("")}</ul></footer>
</body>
</html>
`;
  // Fill the rest of the page with text between the links, in paragraphs of about five links.
  const textBytes = size.bytes - head.length - tail.length;
  let text = "<p>";
  inText.forEach((anchor, n) => {
    const linksAhead = (inText.length - n) * (anchor.length + 2);
    const share = (textBytes - text.length - linksAhead) / (inText.length - n);
    text += `${anchor} ${words(random, share - 10)}.${n % 5 === 4 ? "</p>\n<p>" : " "}`;
  });
  const rest = textBytes - text.length - "</p>\n".length;
  text += `${rest > 0 ? words(random, rest).padEnd(rest, ".") : ""}</p>\n`;
  return head + text + tail;
}

interface GeneratedSiteOptions extends Partial<SiteSize>, SiteOptions {
  /** Generates each page on request, with the host in a comment at its end: for large sites on many hosts. */
  lazy?: boolean;
}

/** Serves every page, a robots.txt that allows everything, and the style sheet; 404 for other paths. */
export function startGeneratedSite(options: GeneratedSiteOptions = {}): Promise<Site> {
  const size: SiteSize = {
    pages: options.pages ?? DEFAULT_SIZE.pages,
    links: options.links ?? DEFAULT_SIZE.links,
    bytes: options.bytes ?? DEFAULT_SIZE.bytes,
  };
  const files = new Map<string, { type: string; body: Buffer }>();
  files.set("/robots.txt", { type: "text/plain; charset=utf-8", body: Buffer.from("User-agent: *\nAllow: /\n") });
  files.set("/style.css", { type: "text/css", body: Buffer.from("body { font: 1rem/1.5 serif }\n") });
  const make = (path: string, host = "") => {
    const i = path === "/" ? 0 : Number(/^\/articles\/(\d+)\.html$/.exec(path)?.[1]);
    if (!(i < size.pages)) return undefined;
    return { type: "text/html; charset=utf-8", body: Buffer.from(`${generatedPage(i, size)}<!-- ${host} -->\n`) };
  };
  for (let i = 0; i < (options.lazy ? 0 : size.pages); i++) {
    files.set(pagePath(i), { type: "text/html; charset=utf-8", body: Buffer.from(generatedPage(i, size)) });
  }
  return startSite((request, response) => {
    const path = request.url ?? "";
    const file = files.get(path) ?? (options.lazy ? make(path, request.headers.host) : undefined);
    if (file === undefined) {
      response.writeHead(404, { "content-type": "text/plain" }).end("not found\n");
      return;
    }
    response.writeHead(200, { "content-type": file.type, "content-length": file.body.length }).end(file.body);
  }, options);
}

/**
 * The pages that page `i` links to: its children in a tree, so that every page is reachable from page 0, then the home
 * page, then random pages.
 */
function linkedPages(i: number, size: SiteSize, random: () => number): number[] {
  const wanted = Math.min(size.links, size.pages - 1);
  const linked = new Set<number>();
  const branches = Math.max(1, Math.floor(size.links / 5));
  for (let child = i * branches + 1; child <= (i + 1) * branches && child < size.pages; child++) linked.add(child);
  if (i !== 0 && linked.size < wanted) linked.add(0);
  while (linked.size < wanted) {
    let page = Math.floor(random() * size.pages);
    while (page === i || linked.has(page)) page = (page + 1) % size.pages;
    linked.add(page);
  }
  return [...linked];
}

const WORDS =
  "archive basin candle delta ember fathom garden harbour island journal kettle lantern meadow needle orchard packet quarry river signal timber upland valley window yarrow zenith bridge copper drift engine feather".split(
    " ",
  );

function title(i: number): string {
  const random = randomFrom(i + 1_000_000_007);
  return `The ${word(random)} ${word(random)} ${i}`;
}

function sentence(random: () => number): string {
  return `${words(random, 80)}.`;
}

/** As many words as fit into `length` characters, with spaces. */
function words(random: () => number, length: number): string {
  let text = "";
  for (;;) {
    const next = word(random);
    if (text.length + next.length + 1 > length) return text;
    text += text === "" ? next : ` ${next}`;
  }
}

function word(random: () => number): string {
  return WORDS[Math.floor(random() * WORDS.length)] ?? "";
}

/** The mulberry32 generator: numbers in [0, 1), the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
