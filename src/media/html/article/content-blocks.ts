import { groupsOf } from "./block-names.ts";
import type { ContentElement, ContentText } from "./content-tree.ts";
import { BLOCKS, countHan, PARAGRAPH } from "./measure.ts";
import { isHeading } from "./own-content.ts";

/**
 * Cuts a page into blocks and regions. A block is a run of text that no block element interrupts: the unit in which
 * content is told from surroundings. A region is a block element.
 */

export interface Block {
  texts: ContentText[];
  /** The beginning of its text. */
  start: string;
  /** A Chinese, Japanese or Korean character counts as three. */
  characters: number;
  linkCharacters: number;
  links: number;
  /** The innermost region around it: an index. */
  region: number;
  /** Groups of names of the inline elements in it. */
  groups: number;
  isHidden: boolean;
}

export interface Region {
  element: ContentElement;
  /** An index; -1 for the root. */
  parent: number;
  depth: number;
  groups: number;
  isHidden: boolean;
  /** An index into the blocks. */
  firstBlock: number;
  /** What is in it, regions within it included. */
  blocks: number;
  characters: number;
  linkCharacters: number;
  proseCharacters: number;
  headings: number;
  controls: number;
  images: number;
  /** Its siblings of the same name and class, and itself. */
  alike: number;
}

export interface BlockTree {
  blocks: Block[];
  /** In document order, the root first. */
  regions: Region[];
}

const CONTROLS = new Set(["button", "input", "select", "textarea"]);
const IMAGES = new Set(["img", "picture", "video"]);
/** What browsers show instead of something else. */
const INSTEAD = new Set(["noscript", "iframe", "object"]);
/** Characters. */
const MAX_START = 200;

type Counted = "headings" | "controls" | "images";

/** `hidden`: the elements that browsers do not show. */
export function cutBlocks(root: ContentElement, hidden: ReadonlySet<ContentElement>): BlockTree {
  return new Cutter(hidden).cut(root);
}

class Cutter {
  readonly #hidden: ReadonlySet<ContentElement>;
  readonly #blocks: Block[] = [];
  readonly #regions: Region[] = [];
  #region = -1;
  #run: Block | null = null;
  #openLinks = 0;

  constructor(hidden: ReadonlySet<ContentElement>) {
    this.#hidden = hidden;
  }

  cut(root: ContentElement): BlockTree {
    this.#enter(root, false);
    this.#gather();
    return { blocks: this.#blocks, regions: this.#regions };
  }

  #enter(element: ContentElement, isHidden: boolean): void {
    const parent = this.#region;
    const above = this.#regions[parent];
    this.#region = this.#regions.length;
    this.#regions.push({
      element,
      parent,
      depth: (above?.depth ?? -1) + 1,
      groups: groupsOf(`${element.className} ${element.id} ${element.getAttribute("role") ?? ""}`),
      isHidden,
      firstBlock: this.#blocks.length,
      blocks: 0,
      characters: 0,
      linkCharacters: 0,
      proseCharacters: 0,
      headings: 0,
      controls: 0,
      images: 0,
      alike: 1,
    });
    this.#walk(element, 0, isHidden);
    this.#endRun();
    this.#region = parent;
  }

  #walk(element: ContentElement, groups: number, isHidden: boolean): void {
    for (let node = element.firstChild; node !== null; node = node.nextSibling) {
      if (node.nodeType === 3) {
        this.#read(node, groups, isHidden);
        continue;
      }
      const { localName } = node;
      if (IMAGES.has(localName)) this.#count("images");
      if (CONTROLS.has(localName)) this.#count("controls");
      const hides = isHidden || this.#hidden.has(node);
      if (BLOCKS.has(localName) || INSTEAD.has(localName)) {
        this.#endRun();
        if (isHeading(node)) this.#count("headings");
        this.#enter(node, hides);
        continue;
      }
      const own = node.attributes.length === 0 ? 0 : groupsOf(`${node.className} ${node.id}`);
      if (localName === "a") this.#openLinks += 1;
      this.#walk(node, groups | own, hides);
      if (localName !== "a") continue;
      this.#openLinks -= 1;
      if (this.#run !== null) this.#run.links += 1;
    }
  }

  #read(node: ContentText, groups: number, isHidden: boolean): void {
    const text = node.data.trim();
    if (text === "") return;
    const characters = text.length + 2 * countHan(text);
    this.#run ??= {
      texts: [],
      start: "",
      characters: 0,
      linkCharacters: 0,
      links: 0,
      region: this.#region,
      groups: 0,
      isHidden,
    };
    const run = this.#run;
    run.texts.push(node);
    run.groups |= groups;
    run.characters += characters;
    if (this.#openLinks > 0) run.linkCharacters += characters;
    if (run.start.length < MAX_START) run.start += `${run.start === "" ? "" : " "}${text.slice(0, MAX_START)}`;
  }

  #endRun(): void {
    const run = this.#run;
    if (run === null) return;
    this.#run = null;
    this.#blocks.push(run);
  }

  #count(what: Counted): void {
    const region = this.#regions[this.#region];
    if (region !== undefined) region[what] += 1;
  }

  /** Adds up what regions hold, from the innermost outwards. */
  #gather(): void {
    for (const block of this.#blocks) {
      const region = this.#regions[block.region];
      if (region === undefined) continue;
      region.blocks += 1;
      region.characters += block.characters;
      region.linkCharacters += block.linkCharacters;
      if (isProse(block)) region.proseCharacters += block.characters;
    }
    const groups = new Map<string, Region[]>();
    for (let at = this.#regions.length - 1; at > 0; at--) {
      const region = this.#regions[at] as Region;
      const above = this.#regions[region.parent] as Region;
      for (const key of SUMS) above[key] += region[key];
      const kind = `${region.parent} ${region.element.localName} ${region.element.className}`;
      const alike = groups.get(kind);
      if (alike === undefined) groups.set(kind, [region]);
      else alike.push(region);
    }
    for (const alike of groups.values()) for (const region of alike) region.alike = alike.length;
  }
}

const SUMS = [
  "blocks",
  "characters",
  "linkCharacters",
  "proseCharacters",
  "headings",
  "controls",
  "images",
] as const satisfies (keyof Region)[];

/** Whether a block is as long as a paragraph, and not mostly links. */
export function isProse({ characters, linkCharacters }: Block): boolean {
  return characters >= PARAGRAPH && linkCharacters < characters / 2;
}
