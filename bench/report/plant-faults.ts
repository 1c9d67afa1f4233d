import type { FindingKind } from "../../src/graph/problems/finding.ts";
import type { Random } from "../../test/workerd/platform/random.ts";

/** Plants faults of all kinds that a page on loopback can have in a site, and says which findings tell of them. */

export interface Answer {
  status: number;
  /** Text for pages, and bytes for other files. */
  body: string | Uint8Array;
  type?: string;
  location?: string;
  delayMs?: number;
}

/** By path. */
export type Site = Map<string, Answer>;

export interface Planted {
  kind: FindingKind;
  /** The path of the page that the finding names. */
  page: string;
}

export interface PlantedSite {
  site: Site;
  listed: string[];
  robots: string;
  planted: Planted[];
}

type Plant = (page: string, name: string, world: Planting) => void;

interface Planting extends PlantedSite {
  /** Another page, which has no planted fault. */
  sound(): string;
  link(from: string, to: string, text?: string): void;
  /** At the end of the head, or of the body. Both tags may be left out. */
  head(path: string, html: string): void;
  body(path: string, html: string): void;
  /** Instead of all that match. Without a match, the head or the body gets it. */
  replace(path: string, pattern: RegExp, by: string, place: "head" | "body"): void;
  redirect(from: string, to: string): void;
}

const html = (title: string, body: string) => ({
  status: 200,
  body: `<!doctype html><html lang=en><head><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`,
});
const TITLE = /<title\b[^>]*>[^<]*<\/title>/i;
const HEADING = /<h1\b[^>]*>[\s\S]*?<\/h1>/gi;
const DESCRIPTION = /<meta\b[^>]*\bname=["']?description\b[^>]*>/gi;
/** What would hide another fault: a page that names another canonical page leaves its title and headings to that. */
const OWN_WORDS = /<link\b[^>]*\brel=["']?(?:canonical|alternate)\b[^>]*>|<meta\b[^>]*\bname=["']?robots\b[^>]*>/gi;

/** What to do with a page, so that a finding of this kind names it. `note` tells of a finding for another page. */
const PLANTS: Partial<Record<FindingKind, Plant>> = {
  "broken-link": (page, name, world) => world.link(page, `/planted/gone-${name}`),
  "broken-fragment": (page, name, world) => world.link(page, `${world.sound()}#planted-${name}`),
  "broken-resource": (page, name, world) => {
    const tags = [
      `<img alt="x" src="/planted/${name}.png">`,
      `<img alt="x" src="/fine.png" srcset="/planted/${name}.webp 2x">`,
      `<script src="/planted/${name}.js"></script>`,
      `<video src="/planted/${name}.mp4"></video>`,
      `<link rel="stylesheet" href="/planted/${name}.css">`,
    ];
    world.body(page, tags[Number(name) % tags.length] as string);
  },
  "vague-link-text": (page, _, world) => world.link(page, world.sound(), "click here"),
  "image-alt-missing": (page, _, world) => world.body(page, '<img src="/fine.png">'),
  "title-missing": (page, _, world) => world.replace(page, TITLE, "<title></title>", "head"),
  "title-long": (page, name, world) =>
    world.replace(page, TITLE, `<title>${"Wide words ".repeat(9)}${name}</title>`, "head"),
  "description-long": (page, name, world) =>
    world.replace(
      page,
      DESCRIPTION,
      `<meta name="description" content="${"A long description. ".repeat(14)}${name}">`,
      "head",
    ),
  "h1-missing": (page, _, world) => world.replace(page, HEADING, "<h2>Heading</h2>", "body"),
  "h1-multiple": (page, name, world) => world.body(page, `<h1>One more ${name}</h1><h1>And another ${name}</h1>`),
  "h1-long": (page, name, world) =>
    world.replace(page, HEADING, `<h1>${"A long heading ".repeat(6)}${name}</h1>`, "body"),
  "noindex-page": (page, _, world) => world.head(page, '<meta name="robots" content="noindex">'),
  "canonical-broken": (page, name, world) => world.head(page, canonical(`/planted/gone-canonical-${name}`)),
  "canonical-multiple": (page, name, world) => world.head(page, canonical(page) + canonical(`${page}?other=${name}`)),
  "canonical-external": (page, name, world) => world.head(page, canonical(`http://elsewhere.invalid/${name}`)),
  "canonical-redirect": (page, name, world) => {
    world.redirect(`/planted/moved-canonical-${name}`, world.sound());
    world.head(page, canonical(`/planted/moved-canonical-${name}`));
  },
  "canonical-noindex": (page, name, world) => {
    world.site.set(`/planted/hidden-${name}`, html(`Hidden ${name}`, '<meta name="robots" content="noindex">'));
    world.head(page, canonical(`/planted/hidden-${name}`));
  },
  "canonical-loop": (page, name, world) => {
    const other = `/planted/loop-${name}`;
    world.site.set(other, html(`Loop ${name}`, ""));
    world.head(other, canonical(page));
    world.head(page, canonical(other));
  },
  "canonical-chain": (page, name, world) => {
    const other = `/planted/chain-${name}`;
    world.site.set(other, html(`Chain ${name}`, ""));
    world.head(other, canonical(world.sound()));
    world.head(page, canonical(other));
  },
  "hreflang-broken": (page, name, world) => world.head(page, alternate(`/planted/gone-language-${name}`)),
  "hreflang-no-return": (page, _, world) => world.head(page, alternate(world.sound())),
  "slow-page": (page, _, world) => Object.assign(world.site.get(page) ?? {}, { delayMs: 3_300 }),
  "large-page": (page, _, world) => world.body(page, `<!--${"x".repeat(2_200_000)}-->`),
  "sitemap-missing": (page, _, world) => void world.listed.splice(world.listed.indexOf(page), 1),
  "sitemap-not-canonical": (page, _, world) => world.head(page, canonical(world.sound())),
};

/** Faults that are pages of their own. They return the path that the finding names. */
const OWN_PLANTS: Partial<Record<FindingKind, (name: string, from: string, world: Planting) => string>> = {
  redirect: (name, from, world) => redirectFrom(`/planted/moved-${name}`, [world.sound()], from, world),
  "redirect-chain": (name, from, world) => {
    const hops = [`/planted/hop-${name}-b`, `/planted/hop-${name}-c`, world.sound()];
    return redirectFrom(`/planted/hop-${name}`, hops, from, world);
  },
  "redirect-loop": (name, from, world) => redirectFrom(`/planted/ring-${name}`, [`/planted/ring-${name}`], from, world),
  "broken-redirect": (name, from, world) =>
    redirectFrom(`/planted/lost-${name}`, [`/planted/gone-end-${name}`], from, world),
  "robots-page": (name, from, world) => {
    const path = `/planted/private-${name}`;
    world.robots += `Disallow: ${path}\n`;
    world.link(from, path);
    return path;
  },
  "orphan-page": (name, _, world) => {
    const path = `/planted/orphan-${name}`;
    world.site.set(path, html(`Orphan ${name}`, ""));
    world.listed.push(path);
    return path;
  },
  "unreachable-page": (name, _, world) => {
    const [path, other] = [`/planted/isle-${name}`, `/planted/isle-${name}-b`];
    world.site.set(path, html(`Isle ${name}`, `<a href="${other}">Other isle</a>`));
    world.site.set(other, html(`Other isle ${name}`, `<a href="${path}">First isle</a>`));
    world.listed.push(path, other);
    return path;
  },
  "sitemap-broken": (name, _, world) => listed(`/planted/gone-listed-${name}`, world),
  "sitemap-redirect": (name, _, world) => {
    world.redirect(`/planted/moved-listed-${name}`, world.sound());
    return listed(`/planted/moved-listed-${name}`, world);
  },
  "sitemap-noindex": (name, _, world) => {
    const path = `/planted/hidden-listed-${name}`;
    world.site.set(path, html(`Hidden listed ${name}`, '<meta name="robots" content="noindex">'));
    return listed(path, world);
  },
};

/** Plants `each` faults of each kind, in pages that are drawn and have no other one. */
export function plantFaults(pages: Site, each: number, random: Random): PlantedSite {
  const site: Site = new Map([...pages].map(([path, answer]) => [path, { ...answer }]));
  site.set("/fine.png", { status: 200, type: "image/png", body: "png" });
  const isPage = ([path, { body }]: [string, Answer]) => /^\/[\w./-]+$/.test(path) && typeof body === "string";
  const order = random.shuffle([...pages].filter(isPage).map(([path]) => path));
  const kinds = Object.entries(PLANTS) as [FindingKind, Plant][];
  const places = order.slice(0, kinds.length * each);
  // What a fault leads to must have none of its own.
  const sounds = order.slice(places.length).filter((path) => textOf(pages, path).search(OWN_WORDS) === -1);
  if (sounds.length === 0) sounds.push("/");
  for (const path of places)
    site.set(path, { ...(site.get(path) as Answer), body: textOf(site, path).replace(OWN_WORDS, "") });
  if (places.length < kinds.length * each) throw new Error("The manual has too few pages for so many faults.");
  const planted: Planted[] = [];
  const world: Planting = {
    site,
    listed: listedOf(pages),
    robots: "User-agent: *\nDisallow: /no-such-place/\n",
    planted,
    sound: () => random.oneOf(sounds),
    link: (from, to, text = "A link of the manual") => {
      world.body(from, `<p><a href="${to}">${text}</a></p>`);
    },
    head: (path, tags) => insert(site, path, /<\/head>|(?=<body\b)/i, tags),
    body: (path, tags) => insert(site, path, /<\/body>(?![\s\S]*<\/body>)/i, tags),
    replace: (path, pattern, by, place) => {
      let first = true;
      const body = textOf(site, path).replace(pattern, () => {
        const text = first ? by : "";
        first = false;
        return text;
      });
      site.set(path, { ...(site.get(path) as Answer), body });
      if (first) world[place](path, by);
    },
    redirect: (from, to) => void site.set(from, { status: 301, body: "", location: to }),
  };
  for (const [at, [kind, plant]] of kinds.entries())
    for (const [i, page] of order.slice(at * each, (at + 1) * each).entries()) {
      plant(page, String(i), world);
      planted.push({ kind, page });
    }
  for (const [kind, plant] of Object.entries(OWN_PLANTS) as [FindingKind, (typeof OWN_PLANTS)[FindingKind]][])
    for (let i = 0; i < each; i++) planted.push({ kind, page: plant?.(String(i), random.oneOf(sounds), world) ?? "" });
  return world;
}

/** Before the first match, or at the end. */
function insert(site: Site, path: string, pattern: RegExp, html: string): void {
  const text = textOf(site, path);
  const at = text.search(pattern);
  const body = at === -1 ? text + html : text.slice(0, at) + html + text.slice(at);
  site.set(path, { ...(site.get(path) as Answer), body });
}

function textOf(site: Site, path: string): string {
  const body = site.get(path)?.body;
  if (typeof body !== "string") throw new Error(`${path} is no page`);
  return body;
}

/** The pages of a site, which its sitemap lists. */
export function listedOf(site: Site): string[] {
  return [...site].filter(([, { body }]) => typeof body === "string").map(([path]) => encodeURI(path));
}

function canonical(href: string): string {
  return `<link rel="canonical" href="${href}">`;
}

function alternate(href: string): string {
  return `<link rel="alternate" hreflang="de" href="${href}">`;
}

function redirectFrom(path: string, hops: string[], from: string, world: Planting): string {
  let at = path;
  for (const hop of hops) {
    world.redirect(at, hop);
    at = hop;
  }
  world.link(from, path);
  return path;
}

function listed(path: string, { listed }: Planting): string {
  listed.push(path);
  return path;
}
