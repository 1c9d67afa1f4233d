import { NAME_GROUPS } from "./block-names.ts";
import type { Block, BlockTree, Region } from "./content-blocks.ts";
import { isProse } from "./content-blocks.ts";
import { isHeading as isHeadingElement } from "./own-content.ts";

/**
 * What the model sees of a block (block-model.ts): its text, the elements and names around it, its neighbours, blocks
 * that are made like it, and the page. Counts are logarithms: the model cuts each at thresholds.
 */

const TAGS = ["p", "li", "h2", "td", "pre", "dd", "div", "figcaption"];
const AROUND = "nav header footer aside form article main section table ul ol dl figure blockquote li p".split(" ");
const ROLES: Partial<Record<string, string>> = {
  navigation: "nav",
  main: "main",
  complementary: "aside",
  banner: "header",
  contentinfo: "footer",
};
/** Blocks that a region around a block must have, to be looked at. */
const SCALES = [2, 6, 20, 60];
const NEIGHBOURS = [-2, -1, 1, 2];
/** The distance of what is not there. */
const FAR = 30;
/** Characters of a block that counts as prose of the page. */
const RECENT = 20;

/** The names of the features, in their order. */
export const FEATURES: readonly string[] = [
  ..."characters links linkDensity wordLength sentences endsSentence digits upper separators commas repeats".split(" "),
  ...TAGS.map((tag) => `is ${tag}`),
  "is heading",
  ...AROUND.map((tag) => `to ${tag}`),
  ...NAME_GROUPS.map((group) => `named ${group}`),
  ..."depth place placeInText fromH1 fromHeading headingLevel fromFirstProse fromLastProse hidden".split(" "),
  ...SCALES.flatMap((blocks) =>
    "linkDensity perBlock share prose headings controls images alike place"
      .split(" ")
      .map((what) => `${what} in ${blocks}`),
  ),
  ..."count perBlock linkDensity share spread".split(" ").map((what) => `${what} of same make`),
  ..."alike most charactersOfMost".split(" ").map((what) => `siblings ${what}`),
  ...NEIGHBOURS.flatMap((offset) => [`characters at ${offset}`, `linkDensity at ${offset}`]),
  ...(
    "blocks characters linkDensity prose headings images isArticle main articles tables code pathDepth pathDigits items proseBlocks longest " +
    "forms alike hidden"
  )
    .split(" ")
    .map((what) => `page ${what}`),
  "in main",
];

/** What else is known of the page. */
export interface PageHints {
  url: string;
  isArticle: boolean;
}

const log = (count: number) => Math.log2(1 + count);
const share = (part: number, whole: number) => part / Math.max(1, whole);

/** Blocks of one element name and class, under a parent of one name and class. */
interface Make {
  blocks: number;
  characters: number;
  linkCharacters: number;
  first: number;
  last: number;
}

/** Writes the features of a page's blocks, one after the other. */
export class BlockFeatures {
  readonly #blocks: readonly Block[];
  readonly #regions: readonly Region[];
  readonly #page: Region;
  /** By region and group: the distance to the nearest element with such a name, 0 without one. */
  readonly #named: Uint8Array;
  readonly #tags: Uint8Array;
  readonly #makes: Make[] = [];
  readonly #repeats = new Map<string, number>();
  readonly #ofPage: number[];
  readonly #main: Region | null;
  #firstProse = -1;
  #lastProse = -1;
  // Where the next block stands.
  #charactersBefore = 0;
  #h1At = -1;
  #headingAt = -1;
  #headingLevel = 0;

  constructor({ blocks, regions }: BlockTree, hints: PageHints) {
    this.#blocks = blocks;
    this.#regions = regions;
    this.#page = regions[0] as Region;
    this.#named = new Uint8Array(regions.length * NAME_GROUPS.length);
    this.#tags = new Uint8Array(regions.length * AROUND.length);
    for (const [at, region] of regions.entries()) {
      spread(this.#named, NAME_GROUPS.length, at, region.parent, region.groups);
      spread(this.#tags, AROUND.length, at, region.parent, tagsOf(region));
    }
    this.#main = regions.find((region) => nameOf(region) === "main") ?? null;
    const makes = new Map<string, Make>();
    for (const [at, block] of blocks.entries()) this.#survey(at, block, makes);
    this.#ofPage = this.#describePage(hints);
  }

  #survey(at: number, block: Block, makes: Map<string, Make>): void {
    const region = this.#regions[block.region] as Region;
    const above = this.#regions[region.parent]?.element;
    const key = `${region.element.localName} ${region.element.className} ${above?.localName} ${above?.className}`;
    const make = makes.get(key) ?? { blocks: 0, characters: 0, linkCharacters: 0, first: at, last: at };
    make.blocks += 1;
    make.characters += block.characters;
    make.linkCharacters += block.linkCharacters;
    make.last = at;
    makes.set(key, make);
    this.#makes.push(make);
    this.#repeats.set(block.start, (this.#repeats.get(block.start) ?? 0) + 1);
    if (!isProse(block)) return;
    if (this.#firstProse < 0) this.#firstProse = at;
    this.#lastProse = at;
  }

  #describePage({ url, isArticle }: PageHints): number[] {
    const page = this.#page;
    const count = (...names: string[]) =>
      this.#regions.filter(({ element }) => names.includes(element.localName)).length;
    const path = URL.parse(url)?.pathname ?? "/";
    let alike = 0;
    let hidden = 0;
    let longest = 0;
    let prose = 0;
    for (const block of this.#blocks) {
      if ((this.#regions[block.region] as Region).alike >= 4) alike += block.characters;
      if (block.isHidden) hidden += block.characters;
      longest = Math.max(longest, block.characters);
      if (isProse(block)) prose += 1;
    }
    return [
      log(this.#blocks.length),
      log(page.characters),
      share(page.linkCharacters, page.characters),
      share(page.proseCharacters, page.characters),
      log(page.headings),
      log(page.images),
      Number(isArticle),
      share(this.#main?.characters ?? 0, page.characters),
      log(count("article")),
      log(count("table")),
      log(count("pre")),
      path.split("/").filter((part) => part !== "").length,
      Number(/\d{4,}/.test(path)),
      log(count("li")),
      log(prose),
      log(longest),
      log(count("form")),
      share(alike, page.characters),
      share(hidden, page.characters),
    ];
  }

  /** Writes the features of block `at` into `row`. Blocks come in their order. */
  write(at: number, row: Float32Array): void {
    const block = this.#blocks[at] as Block;
    const region = this.#regions[block.region] as Region;
    let end = 0;
    const put = (value: number) => {
      row[end++] = value;
    };
    describeText(block, put);
    put(log((this.#repeats.get(block.start) ?? 1) - 1));
    const { localName } = region.element;
    for (const tag of TAGS) put(Number(tag === localName));
    const isHeading = isHeadingElement(region.element);
    put(Number(isHeading));
    for (let tag = 0; tag < AROUND.length; tag++) put(this.#tags[block.region * AROUND.length + tag] || FAR);
    for (let group = 0; group < NAME_GROUPS.length; group++)
      put((block.groups >> group) & 1 ? 0 : this.#named[block.region * NAME_GROUPS.length + group] || FAR);
    if (isHeading) {
      this.#headingAt = at;
      this.#headingLevel = Number(localName[1]);
      if (localName === "h1") this.#h1At = at;
    }
    this.#placeIn(at, region, put);
    put(Number(block.isHidden));
    for (const scale of SCALES) this.#describeRegion(at, block.region, scale, put);
    this.#describeMake(at, put);
    this.#describeSiblings(block.region, put);
    for (const offset of NEIGHBOURS) {
      const other = this.#blocks[at + offset];
      put(other === undefined ? -1 : log(other.characters));
      put(other === undefined ? -1 : other.linkCharacters / other.characters);
    }
    for (const value of this.#ofPage) put(value);
    const main = this.#main;
    const isInMain = main !== null && at >= main.firstBlock && at < main.firstBlock + main.blocks;
    put(isInMain ? share(main.characters, this.#page.characters) : 0);
    this.#charactersBefore += block.characters;
  }

  #placeIn(at: number, { depth }: Region, put: (value: number) => void): void {
    const since = (from: number) => (from < 0 ? -1 : log(at - from));
    const around = (from: number) => (from < 0 ? 0 : Math.max(-RECENT, Math.min(RECENT, at - from)));
    put(depth);
    put(at / this.#blocks.length);
    put(share(this.#charactersBefore, this.#page.characters));
    put(since(this.#h1At));
    put(since(this.#headingAt));
    put(this.#headingLevel);
    put(around(this.#firstProse));
    put(around(this.#lastProse));
  }

  /** The smallest region around a block that has as many blocks. */
  #describeRegion(at: number, innermost: number, scale: number, put: (value: number) => void): void {
    let index = innermost;
    let inner = index;
    let region = this.#regions[index] as Region;
    while (region.parent >= 0 && region.blocks < scale) {
      inner = index;
      index = region.parent;
      region = this.#regions[index] as Region;
    }
    put(share(region.linkCharacters, region.characters));
    put(log(share(region.characters, region.blocks)));
    put(share(region.characters, this.#page.characters));
    put(share(region.proseCharacters, region.characters));
    put(log(region.headings));
    put(log(region.controls));
    put(log(region.images));
    put(log((this.#regions[inner] as Region).alike));
    put(share(at - region.firstBlock, region.blocks));
  }

  #describeMake(at: number, put: (value: number) => void): void {
    const make = this.#makes[at] as Make;
    put(log(make.blocks));
    put(log(make.characters / make.blocks));
    put(share(make.linkCharacters, make.characters));
    put(share(make.characters, this.#page.characters));
    put((make.last - make.first) / this.#blocks.length);
  }

  #describeSiblings(innermost: number, put: (value: number) => void): void {
    let most = 1;
    let characters = 0;
    for (let index = innermost; index > 0; index = (this.#regions[index] as Region).parent) {
      const region = this.#regions[index] as Region;
      if (region.alike > most) {
        most = region.alike;
        characters = region.characters;
      }
    }
    put(log((this.#regions[innermost] as Region).alike));
    put(log(most));
    put(log(characters));
  }
}

/** Sets the distances of a region: 1 for what it is itself, one more than its parent's for the rest. */
function spread(distances: Uint8Array, width: number, at: number, parent: number, own: number): void {
  for (let bit = 0; bit < width; bit++) {
    const above = parent < 0 ? 0 : (distances[parent * width + bit] ?? 0);
    distances[at * width + bit] = (own >> bit) & 1 ? 1 : above === 0 ? 0 : Math.min(FAR, above + 1);
  }
}

function nameOf({ element }: Region): string {
  return ROLES[element.getAttribute("role") ?? ""] ?? element.localName;
}

function tagsOf(region: Region): number {
  const tag = AROUND.indexOf(nameOf(region));
  return tag < 0 ? 0 : 1 << tag;
}

const SENTENCE_END = /[.!?。！？"”»)]\s*$/;

function describeText({ texts, start, characters, linkCharacters, links }: Block, put: (value: number) => void): void {
  let letters = 0;
  let words = 1;
  let digits = 0;
  let upper = 0;
  let separators = 0;
  let commas = 0;
  let sentences = 0;
  for (let at = 0; at < start.length; at++) {
    const code = start.charCodeAt(at);
    if (code <= 32) {
      if (at > 0 && start.charCodeAt(at - 1) > 32) words += 1;
    } else if (code >= 48 && code <= 57) digits += 1;
    else if (code >= 65 && code <= 90) upper += 1;
    else if ((code >= 97 && code <= 122) || code >= 0xc0) letters += 1;
    if (code === 44 || code === 0xff0c || code === 0x3001) commas += 1;
    else if (code === 0x3002) sentences += 1;
    else if ((code === 46 || code === 33 || code === 63) && !(start.charCodeAt(at + 1) > 32)) sentences += 1;
    else if (code === 124 || code === 47 || code === 0xbb || code === 0x203a || code === 0xb7 || code === 0x2022)
      separators += 1;
  }
  const all = letters + digits + upper;
  put(log(characters));
  put(log(links));
  put(linkCharacters / characters);
  put(all / words);
  put(log(sentences));
  put(Number(SENTENCE_END.test(texts.at(-1)?.data.slice(-50) ?? "")));
  put(share(digits, all));
  put(share(upper, all));
  put(log(separators));
  put(log(commas));
}
