import type { KindFacts } from "../facts/page-kind.ts";
import { NAME_GROUPS } from "./block-names.ts";
import type { Block, BlockTree, Region } from "./content-blocks.ts";
import { isProse } from "./content-blocks.ts";

/**
 * What the model of kinds sees of a page (kind-model.ts): its text, what repeats in it, the names of its elements, its
 * URL, and what it says of itself. Counts are logarithms.
 */

/** Elements that are counted. */
const COUNTED =
  "article section table pre ul li dl p h2 h3 h4 form img button input select figure blockquote time".split(" ");
/** Types of schema.org that say something of a page. */
const TYPES =
  "Product ItemList CollectionPage Article FAQPage BreadcrumbList WebPage Organization LocalBusiness Service".split(
    " ",
  );
const OPEN_GRAPH = ["website", "article", "product"];
/** Words of a path. */
const PATHS: Record<string, RegExp> = {
  documentation:
    /\/(?:docs?|documentation|manuals?|reference|handbook|guides?|api|tutorials?|learn|help|kb|wiki)(?:[/.]|$)/i,
  thread:
    /\/(?:forums?|threads?|topics?|questions?|discussions?|t|viewtopic|showthread|comments|community|boards?)(?:[/.]|$)/i,
  product: /\/(?:products?|p|dp|items?|prod|pd)(?:[/.]|$)/i,
  collection: /\/(?:collections?|categor(?:y|ies)|shop|store|c|catalog|browse|departments?)(?:[/.]|$)/i,
  listing: /\/(?:tags?|blog|news|archives?|topics?|authors?|events?|jobs|directory|page|resources)\/?(?:\d+\/?)?$/i,
  service:
    /\/(?:services?|solutions?|about|pricing|features|platform|products|industries|why|company|contact)(?:[/.-]|$)/i,
  dated: /\/(?:19|20)\d\d\/\d\d?(?:\/|$)/,
};
/** An amount with a sign or a code of a currency. */
const PRICE =
  /(?:[$€£¥₹₩₽₺₴]|\b(?:USD|EUR|GBP|CHF|AUD|CAD|kr|zł|Kč|Rs|R\$)\.?)\s?\d|\d(?:[.,]\d\d?)?\s?(?:[$€£¥₹₩₽₺₴]|(?:USD|EUR|GBP|CHF|kr|zł|Kč)(?![\p{L}]))/u;
const DATE = /\b(?:19|20)\d\d\b|\b\d{1,2}[./:]\d{2}\b/;
/** Characters of a short line. */
const SHORT = 40;
const LARGEST = ["1", "2"];

export const PAGE_FEATURES: readonly string[] = [
  ..."blocks characters linkDensity prose proseBlocks longest hidden main headings images controls".split(" "),
  ...COUNTED.map((name) => `count of ${name}`),
  ..."short priced shortPriced dated questions endsSentence".split(" "),
  ...LARGEST.flatMap((which) =>
    "alike share perUnit linkDensity prose headings images controls priced"
      .split(" ")
      .map((what) => `${what} of group ${which}`),
  ),
  ...NAME_GROUPS.map((name) => `named ${name}`),
  ...TYPES.map((name) => `type ${name}`),
  ...OPEN_GRAPH.map((name) => `og ${name}`),
  ..."isArticle isThread isManual hasPrice products".split(" "),
  ..."depth digits query slugWords isHome".split(" "),
  ...Object.keys(PATHS).map((name) => `path ${name}`),
];

const log = (count: number) => Math.log2(1 + count);
const share = (part: number, whole: number) => part / Math.max(1, whole);

export interface PageClaims {
  kind: KindFacts;
  isArticle: boolean;
  isThread: boolean;
  isManual: boolean;
}

/** One row, in the order of PAGE_FEATURES. */
export function pageFeatures({ blocks, regions }: BlockTree, claims: PageClaims): Float32Array {
  const page = regions[0] as Region;
  const counts = new Map<string, number>();
  for (const { element } of regions) counts.set(element.localName, (counts.get(element.localName) ?? 0) + 1);
  const main = regions.find(({ element }) => element.localName === "main" || element.getAttribute("role") === "main");
  const row: number[] = [
    log(blocks.length),
    log(page.characters),
    share(page.linkCharacters, page.characters),
    share(page.proseCharacters, page.characters),
    log(blocks.filter(isProse).length),
    log(Math.max(0, ...blocks.map(({ characters }) => characters))),
    share(sumOf(blocks.filter(({ isHidden }) => isHidden)), page.characters),
    share(main?.characters ?? 0, page.characters),
    log(page.headings),
    log(page.images),
    log(page.controls),
    ...COUNTED.map((name) => log(counts.get(name) ?? 0)),
  ];
  const priced = blocks.map(({ start }) => PRICE.test(start));
  const isShort = ({ characters }: Block) => characters <= SHORT;
  row.push(
    share(blocks.filter(isShort).length, blocks.length),
    log(priced.filter(Boolean).length),
    log(blocks.filter((block, at) => priced[at] && isShort(block)).length),
    log(blocks.filter(({ start }) => DATE.test(start)).length),
    log(blocks.filter(({ start }) => /[?？]\s*$/u.test(start)).length),
    share(blocks.filter(({ start }) => /[.!?。！？]\s*$/u.test(start)).length, blocks.length),
  );
  const groups = largestGroups(regions);
  for (const at of LARGEST.keys()) {
    const group = groups[at];
    if (group === undefined) {
      row.push(0, 0, 0, 0, 0, 0, 0, 0, 0);
      continue;
    }
    let pricedIn = 0;
    for (const { firstBlock, blocks: held } of group)
      for (let block = firstBlock; block < firstBlock + held; block++) if (priced[block]) pricedIn += 1;
    const sum = (of: (region: Region) => number) => group.reduce((total, region) => total + of(region), 0);
    const characters = sum((region) => region.characters);
    row.push(
      log(group.length),
      share(characters, page.characters),
      log(characters / group.length),
      share(
        sum((region) => region.linkCharacters),
        characters,
      ),
      share(
        sum((region) => region.proseCharacters),
        characters,
      ),
      share(
        sum((region) => region.headings),
        group.length,
      ),
      share(
        sum((region) => region.images),
        group.length,
      ),
      share(
        sum((region) => region.controls),
        group.length,
      ),
      share(pricedIn, group.length),
    );
  }
  row.push(...namedShares(blocks, regions));
  const { url, types, openGraphType, hasPrice, products } = claims.kind;
  for (const type of TYPES)
    row.push(Number(types.some((one) => one === type || (type === "Article" && /Article|BlogPosting/.test(one)))));
  for (const type of OPEN_GRAPH) row.push(Number(openGraphType.includes(type)));
  row.push(
    Number(claims.isArticle),
    Number(claims.isThread),
    Number(claims.isManual),
    Number(hasPrice),
    log(products + types.filter((type) => type === "Product").length),
  );
  const { pathname = "/", search = "" } = URL.parse(url) ?? {};
  const parts = pathname.split("/").filter((part) => part !== "");
  row.push(
    parts.length,
    Number(/\d{4,}/.test(pathname)),
    Number(search !== ""),
    (parts.at(-1) ?? "").split(/[-_+]|%20/).length,
    Number(parts.length === 0),
  );
  for (const path of Object.values(PATHS)) row.push(Number(path.test(pathname)));
  return Float32Array.from(row);
}

function sumOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { characters }) => sum + characters, 0);
}

/** Regions of one name and class beside one another, by what they hold: the most first. */
function largestGroups(regions: readonly Region[]): Region[][] {
  const groups = new Map<string, Region[]>();
  for (const region of regions) {
    if (region.alike < 3 || region.blocks === 0) continue;
    const key = `${region.parent} ${region.element.localName} ${region.element.className}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [region]);
    else group.push(region);
  }
  const weight = (group: readonly Region[]) => group.reduce((sum, { characters }) => sum + characters, 0);
  return [...groups.values()]
    .map((group) => ({ group, weight: weight(group) }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ group }) => group);
}

/** The share of the text that stands in elements with a name of each group. */
function namedShares(blocks: readonly Block[], regions: readonly Region[]): number[] {
  const within = new Uint32Array(regions.length);
  for (const [at, { parent, groups }] of regions.entries())
    within[at] = (parent < 0 ? 0 : (within[parent] ?? 0)) | groups;
  const held = new Float64Array(NAME_GROUPS.length);
  let all = 0;
  for (const { characters, region, groups } of blocks) {
    all += characters;
    const bits = (within[region] ?? 0) | groups;
    for (let group = 0; group < held.length; group++)
      if ((bits >> group) & 1) held[group] = (held[group] ?? 0) + characters;
  }
  return Array.from(held, (characters) => share(characters, all));
}
