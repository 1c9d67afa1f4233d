import { decodeFragment } from "../links/decode-fragment.ts";
import { isDataTable } from "../markdown/data-table.ts";
import type { ContentElement, ContentText } from "./content-tree.ts";
import { elementsIn, hasText, nextNode, startOfText } from "./content-tree.ts";
import { BLOCKS, countHan, PARAGRAPH } from "./measure.ts";
import { isHeading } from "./own-content.ts";

/** Measures in one walk what each element of a page holds: links, where they lead, and texts beside them. */

export interface LinkHoldings {
  links: number;
  /** Links to this page, and to places of it. */
  ownLinks: number;
  /** Links to this page itself: a menu has one. */
  selfLinks: number;
  /** Those whose text is the title of the place. */
  titleLinks: number;
  /** Characters in links. Texts are trimmed. */
  linked: number;
  /** Characters outside links and headings. */
  own: number;
  /** Characters outside links; in code and data tables, all of them. */
  weight: number;
  hasH1: boolean;
  /** Headings that are no links to other pages. */
  headings: number;
  /** Blocks of text without a link, outside headings. */
  texts: number;
  /** Whether one of these stands in the title of the page. */
  hasTitle: boolean;
  /** Whether a block is as long as a paragraph and not mostly links. */
  hasProse: boolean;
  /** Code, or a data table. */
  hasStructure: boolean;
}

/** Characters of a title that are compared. */
const MAX_TITLE = 200;
const LEAST_TITLE = 3;
/** Nodes from a place on within which its title begins, and elements around it that may be its title. */
const MAX_AHEAD = 15;
const MAX_ABOVE = 4;

export interface NamedPage {
  url: string;
  documentTitle: string | null;
}

export function measureLinks(root: ContentElement, page: NamedPage): Map<ContentElement, LinkHoldings> {
  const walk = new Walk(placesIn(root), page);
  walk.read(root);
  return walk.held;
}

class Walk {
  readonly held = new Map<ContentElement, LinkHoldings>();
  readonly #places: ReadonlyMap<string, ContentElement>;
  readonly #file: string;
  readonly #title: string;
  #run = { characters: 0, linked: 0, start: "" };
  #inLink = false;
  #inHeading = false;
  #inStructure = false;

  constructor(places: ReadonlyMap<string, ContentElement>, { url, documentTitle }: NamedPage) {
    this.#places = places;
    this.#file = URL.parse(url)?.pathname.split("/").at(-1) ?? "";
    this.#title = lettersOf(documentTitle ?? "");
  }

  read(element: ContentElement): LinkHoldings {
    const held = none();
    held.hasH1 = element.localName === "h1";
    this.held.set(element, held);
    const { localName } = element;
    const outer = { inLink: this.#inLink, inHeading: this.#inHeading, inStructure: this.#inStructure };
    const isBlock = BLOCKS.has(localName);
    if (isBlock) this.#endRun(held);
    if (localName === "a" && element.hasAttribute("href") && !this.#inLink) {
      this.#countLink(held, element);
      this.#inLink = true;
    }
    this.#inHeading ||= isHeading(element);
    if (localName === "pre" || (localName === "table" && isDataTable(element))) {
      held.hasStructure = true;
      this.#inStructure = true;
    }
    for (let node = element.firstChild; node !== null; node = node.nextSibling) {
      if (node.nodeType === 3) this.#readText(held, node);
      else {
        // A text before a block ends there.
        if (BLOCKS.has(node.localName)) this.#endRun(held);
        add(held, this.read(node));
      }
    }
    if (isBlock) this.#endRun(held);
    if (isHeading(element) && isTitle(element)) held.headings += 1;
    this.#inLink = outer.inLink;
    this.#inHeading = outer.inHeading;
    this.#inStructure = outer.inStructure;
    return held;
  }

  #readText(held: LinkHoldings, { data }: ContentText): void {
    const { length } = data.trim();
    if (length === 0) return;
    const characters = length + 2 * countHan(data);
    if (this.#inLink) {
      held.linked += length;
      this.#run.linked += characters;
    } else if (!this.#inHeading) held.own += length;
    if (!this.#inLink || this.#inStructure) held.weight += length;
    if (this.#inHeading) return;
    this.#run.characters += characters;
    if (this.#run.start.length < MAX_TITLE) this.#run.start += data.slice(0, MAX_TITLE);
  }

  #endRun(held: LinkHoldings): void {
    const { characters, linked, start } = this.#run;
    if (characters === 0) return;
    if (characters >= PARAGRAPH && linked < characters / 2) held.hasProse = true;
    if (linked === 0) {
      const letters = lettersOf(start);
      if (letters !== "") held.texts += 1;
      if (letters.length >= LEAST_TITLE && this.#title.includes(letters)) held.hasTitle = true;
    }
    this.#run = { characters: 0, linked: 0, start: "" };
  }

  #countLink(held: LinkHoldings, link: ContentElement): void {
    held.links += 1;
    const place = this.#placeOf(link.getAttribute("href") ?? "");
    if (place === undefined) return;
    held.ownLinks += 1;
    if (place === null) held.selfLinks += 1;
    if (place !== null && isTitledLike(place, link)) held.titleLinks += 1;
  }

  /** Null for the page itself; undefined for other pages, and for places that the page does not have. */
  #placeOf(href: string): ContentElement | null | undefined {
    if (href === "" || href === this.#file) return null;
    const at = href.indexOf("#");
    if (at < 0 || (at > 0 && href.slice(0, at) !== this.#file)) return undefined;
    const fragment = href.slice(at + 1);
    if (fragment === "") return null;
    return this.#places.get(fragment) ?? this.#places.get(decodeFragment(fragment));
  }
}

function none(): LinkHoldings {
  return {
    links: 0,
    ownLinks: 0,
    selfLinks: 0,
    titleLinks: 0,
    linked: 0,
    own: 0,
    weight: 0,
    hasH1: false,
    headings: 0,
    texts: 0,
    hasTitle: false,
    hasProse: false,
    hasStructure: false,
  };
}

function add(to: LinkHoldings, held: LinkHoldings): void {
  to.links += held.links;
  to.ownLinks += held.ownLinks;
  to.selfLinks += held.selfLinks;
  to.titleLinks += held.titleLinks;
  to.linked += held.linked;
  to.own += held.own;
  to.weight += held.weight;
  to.hasH1 ||= held.hasH1;
  to.headings += held.headings;
  to.texts += held.texts;
  to.hasTitle ||= held.hasTitle;
  to.hasProse ||= held.hasProse;
  to.hasStructure ||= held.hasStructure;
}

function placesIn(root: ContentElement): Map<string, ContentElement> {
  const places = new Map<string, ContentElement>();
  for (const element of elementsIn(root)) {
    const { id } = element;
    if (id !== "" && !places.has(id)) places.set(id, element);
  }
  return places;
}

/** Whether a heading has words that lead to no other page: those of a menu do. */
function isTitle(heading: ContentElement): boolean {
  if (!hasText(heading)) return false;
  const links = heading
    .getElementsByTagName("a")
    .filter((link) => !/^(?:#|$)/.test(link.getAttribute("href") ?? ""))
    .map((link) => startOfText(link, MAX_TITLE));
  return lettersOf(links.join("")) !== lettersOf(startOfText(heading, MAX_TITLE));
}

/** Whether the link has the words of the title at the place. One of them may be numbered, or longer. */
function isTitledLike(place: ContentElement, link: ContentElement): boolean {
  const title = titleAt(place);
  const words = lettersOf(startOfText(link, MAX_TITLE));
  return title !== "" && words !== "" && (title.includes(words) || words.includes(title));
}

function titleAt(place: ContentElement): string {
  for (let above: ContentElement | null = place, at = 0; above !== null && at < MAX_ABOVE; at++) {
    if (isHeading(above)) return lettersOf(startOfText(above, MAX_TITLE));
    above = above.parentNode;
  }
  const end = rootOf(place);
  let node = nextNode(place, end);
  for (let at = 0; node !== null && at < MAX_AHEAD; at++) {
    if (node.nodeType === 1 && isHeading(node)) return lettersOf(startOfText(node, MAX_TITLE));
    node = nextNode(node, end);
  }
  return "";
}

function rootOf(element: ContentElement): ContentElement {
  let root = element;
  while (root.parentNode !== null) root = root.parentNode;
  return root;
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}
