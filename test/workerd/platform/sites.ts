import type { HookPoint } from "../../../src/crawl/subject/hook.ts";
import type { DocumentServed } from "./document-served.ts";
import type { PageDrawn } from "./drawn-page.ts";
import type { HookRule, HookRules } from "./hook.ts";
import { drawMedia, MEDIA_EXTENSION, type MediaServed } from "./media-served.ts";
import type { Random } from "./random.ts";
import type { Answer, Web } from "./web.ts";

/**
 * Generates small sites with what makes crawls hard: redirects, errors, pages that fail at first, documents, assets,
 * sitemaps. And what a hook decides about them.
 */

const HOSTS = Array.from({ length: 60 }, (_, i) => `h${i}.test`);
const KINDS = [
  "page",
  "page",
  "page",
  "page",
  "redirect",
  "gone",
  "noindex",
  "flaky",
  "busy",
  "reset",
  "silent",
  "slow",
  "document",
  "document",
  "media",
  "media",
] as const;

/** More than a body of unknown length may hold without a share of the budget (fetch/transport/read-body.ts). */
export const MAX_DOCUMENT_BYTES = 600_000;

/** Characters of fields: more than D1 takes in one value, and more than a page may have (crawl/page/row-fields.ts). */
const LARGE_FIELDS = 2_500_000;
const TOO_LARGE_FIELDS = 4_500_000;

interface Node {
  kind: (typeof KINDS)[number];
  links: number[];
  target: number;
  /** Failed attempts before it answers. */
  failures: number;
  headersMs: number;
  bodyMs: number;
  document: Omit<DocumentServed, "links" | "text">;
  /** `isReplaced`: whether the file is another one at each of the first attempts. */
  media: MediaServed & { isReplaced: boolean };
  /** Whether its text says nothing of the subject. */
  isOff: boolean;
  drawn: Omit<PageDrawn, "needs"> & { needs: number[] };
  /** Whether what its own scripts are is busy at first. */
  isScriptBusy: boolean;
}

export interface Site {
  hosts: string[];
  nodes: Node[];
  /** The pages that the sitemap lists. */
  listed: number[];
  /** Requests of robots.txt that are not answered before one is. */
  robotsFailures: number;
}

export function generateSite(random: Random): Site {
  // A few sites are wide, and their sitemap lists all, so that many consumers have work at once.
  const isWide = random.chance(0.03);
  const size = isWide ? random.between(100, 200) : random.between(1, 30);
  const node = () => random.between(0, 2 * size);
  const nodes = Array.from(
    { length: size },
    (_, i): Node => ({
      // The first node is the home page, whose URL has no extension.
      kind: random.oneOf(i === 0 ? KINDS.filter((kind) => kind !== "media") : KINDS),
      links: Array.from({ length: random.between(0, 6) }, node),
      target: node(),
      failures: random.between(1, 2),
      headersMs: random.between(20, 400),
      bodyMs: random.between(5, 200),
      document: drawDocument(random),
      media: { ...drawMedia(random), isReplaced: random.chance(0.2) },
      isOff: random.chance(0.4),
      drawn: {
        isShell: random.chance(0.6),
        hasGain: random.chance(0.7),
        needs: Array.from({ length: random.between(0, 3) }, node),
        scriptMs: random.oneOf([200, 1_000, 4_000, 20_000]),
      },
      isScriptBusy: random.chance(0.1),
    }),
  );
  return {
    hosts: HOSTS.slice(0, isWide ? random.between(12, HOSTS.length) : random.between(1, 4)),
    nodes,
    listed: Array.from({ length: isWide ? 2 * size : random.between(0, 10) }, node),
    robotsFailures: random.chance(0.1) ? 1 : 0,
  };
}

function drawDocument(random: Random): Node["document"] {
  const isTooLarge = random.chance(0.1);
  return {
    // A body of unknown length that is longer than `FREE_BODY_BYTES` takes a share of the budget.
    bytes: isTooLarge ? random.between(MAX_DOCUMENT_BYTES + 1, 700_000) : random.oneOf([300, 20_000, 20_000, 550_000]),
    pieces: random.oneOf([1, 3, 10]),
    pieceMs: random.oneOf([1, 50, 2_000]),
    hasLength: random.chance(0.5),
    // At the first attempts alone.
    end: random.oneOf(["whole", "whole", "breaks", "hangs"]),
    reading: {
      ms: random.oneOf([50, 1_000, 90_000]),
      deaths: random.oneOf([0, 0, 0, 0, 1, 2]),
      failures: random.oneOf([0, 0, 0, 1, 2]),
    },
  };
}

/**
 * `seeds`: a URL that is known from the start is no discovery, so the hook is not asked about it. `hasDepthLimit`: when
 * a nearer way to a page is found, links that the hook added are not looked at again, and a page whose links were too
 * deep before stays completed if the hook fails on them. So with such rules the ends depend on the order.
 */
export function drawHook(
  site: Site,
  { seeds, hasDepthLimit }: { seeds: ReadonlySet<string>; hasDepthLimit: boolean },
  random: Random,
): HookRules {
  const ruleOf = (url: string): HookRule => {
    const links = Array.from({ length: random.between(1, 3) }, () => urlOf(site, random.between(0, site.nodes.length)));
    const fails: HookPoint[] = [
      "pagesDue",
      "pagesRead",
      ...(seeds.has(url) || hasDepthLimit ? [] : (["urlsFound"] as const)),
    ];
    const kinds: (() => HookRule)[] = [
      () => ({ refuse: true }),
      () => ({ priority: random.between(0, 999) }),
      () => ({ drop: random.oneOf(["pagesDue", "pagesRead"]) }),
      () => ({ ...(hasDepthLimit ? {} : { links }), ...(random.chance(0.5) ? { drop: "pagesRead" as const } : {}) }),
      () => ({ fieldChars: random.oneOf([100, 100_000, 100_000, 100_000, LARGE_FIELDS, TOO_LARGE_FIELDS]) }),
      () => ({ throwsAt: random.oneOf(fails) }),
    ];
    return random.oneOf(kinds)();
  };
  const urls = site.nodes.map((_, i) => urlOf(site, i));
  return new Map(urls.filter(() => random.chance(0.3)).map((url) => [url, ruleOf(url)]));
}

export function urlOf({ nodes, hosts }: Site, i: number): string {
  const n = i % nodes.length;
  const extension = nodes[n]?.kind === "media" ? MEDIA_EXTENSION : "";
  return `https://${hosts[n % hosts.length]}/${n === 0 ? "" : n}${extension}`;
}

/** Where a page leads: its links, or the target of its redirect. And the pages that the sitemap lists. */
export function linksOf(site: Site, page: string): string[] {
  if (page === "sitemap") return site.listed.map((i) => urlOf(site, i));
  const node = site.nodes.find((_, i) => urlOf(site, i) === page);
  if (node === undefined || node.kind === "media") return [];
  return (node.kind === "redirect" ? [node.target] : node.links).map((i) => urlOf(site, i));
}

/** The URL of an asset of page `i`. A style sheet has assets of its own. */
function assetOf(site: Site, i: number, kind: "css" | "png"): string {
  return `${urlOf(site, i)}?${kind}`;
}

/** The answers of a site. They depend on the number of earlier requests of a URL, and on nothing else. */
export function webOf(site: Site): Web {
  const byUrl = new Map(site.nodes.map((node, i) => [urlOf(site, i), node]));
  return (url, attempt): Answer => {
    if (url.endsWith("/robots.txt"))
      return attempt < site.robotsFailures ? { kind: "silence" } : { kind: "status", status: 404 };
    if (url === `https://${site.hosts[0]}/sitemap.xml`) {
      return { kind: "sitemap", pages: [...new Set(site.listed.map((i) => urlOf(site, i)))] };
    }
    const [page = url, kind] = url.split("?");
    const node = byUrl.get(page);
    if (kind === "js") return { kind: "script", isBusy: attempt === 0 && node?.isScriptBusy === true };
    if (node === undefined || node.kind === "gone") return { kind: "status", status: 404 };
    const { headersMs, bodyMs } = node;
    if (node.kind === "redirect") {
      const target = kind === undefined ? urlOf(site, node.target) : assetOf(site, node.target, "png");
      return { kind: "redirect", target, headersMs };
    }
    if (attempt < node.failures) {
      if (node.kind === "flaky") return { kind: "status", status: 500, headersMs };
      if (node.kind === "busy") return { kind: "status", status: 503, headersMs };
      if (node.kind === "reset") return { kind: "reset", headersMs };
      if (node.kind === "silent") return { kind: "silence", headersMs: Number.POSITIVE_INFINITY };
    }
    const links = node.links.map((i) => urlOf(site, i));
    const text = node.isOff ? `nothing at ${url}` : `爬虫 at ${url}`;
    if (node.kind === "document" && kind === undefined) {
      const end = attempt < node.failures ? node.document.end : "whole";
      return { ...node.document, kind: "document", end, links, text, headersMs };
    }
    if (node.kind === "media" && kind === undefined) {
      const isEarly = attempt < node.failures;
      const etag = isEarly && node.media.isReplaced ? `of attempt ${attempt}` : node.media.etag;
      return { ...node.media, kind: "media", etag, end: isEarly ? node.media.end : "whole", headersMs };
    }
    const times = node.kind === "slow" ? { headersMs: headersMs * 20, bodyMs: bodyMs * 20 } : { headersMs, bodyMs };
    if (node.kind === "noindex" && kind === undefined) return { kind: "page", links, noindex: "meta robots", ...times };
    if (kind === "png") return { kind: "page", links, type: "image/png", ...times };
    const images = node.links.slice(3).map((i) => assetOf(site, i, "png"));
    if (kind === "css") return { kind: "page", links, type: "text/css", assets: images, ...times };
    const styles = node.links.slice(0, 3).map((i) => assetOf(site, i, "css"));
    const needs = node.drawn.needs.map((i) => `${urlOf(site, i)}?js`);
    const drawn = { ...node.drawn, needs: [...new Set(needs)] };
    return { kind: "page", links, text, assets: [...styles, ...images], drawn, ...times };
  };
}
