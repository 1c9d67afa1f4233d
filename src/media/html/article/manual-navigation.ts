import { namesSurroundings } from "../facts/surrounding-names.ts";
import { isDataTable } from "../markdown/data-table.ts";
import type { ContentElement } from "./content-tree.ts";
import { elementsIn, hasText } from "./content-tree.ts";
import { letterBars } from "./letter-bars.ts";
import { type LinkHoldings, measureLinks, type NamedPage } from "./link-holdings.ts";
import { BLOCKS } from "./measure.ts";

/**
 * Finds the navigation of a manual's page by what it holds and where it stands. Themes write it as `div`s whose names
 * differ: lists of the page's own sections, and menus and bars beside the content.
 */

/** Elements that hold one text, or a part of something else. */
const PARTS = new Set(
  "p h1 h2 h3 h4 h5 h6 pre blockquote table thead tbody tfoot tr td th caption li dl dt dd summary".split(" "),
);
/** Elements beside which nothing is a menu: they are a part of the same text. */
const TEXTS = new Set(
  "p h1 h2 h3 h4 h5 h6 pre blockquote table thead tbody tfoot tr ul ol li dl dt dd details figure".split(" "),
);
const NEVER_BOXES = new Set(
  "p h1 h2 h3 h4 h5 h6 pre blockquote dl dt dd li td th tr tbody thead tfoot figure article main a span".split(" "),
);
const TABLE_PARTS = new Set("table thead tbody tfoot tr td th".split(" "));
/** The share of a list's links that lead to places of the page. Doxygen adds one to the list of all members. */
const LEAST_OWN = 0.6;
/** The share of them whose words are the title of their place, and where the list is most of the page. */
const LEAST_TITLES = 0.5;
const NEARLY_ALL_TITLES = 0.9;
/** Characters beside links: separators, "Contents". */
const MAX_LABEL = 40;
/** Characters beside the links of what is named a bar: the title of a chapter, "Prev Class". */
const MAX_BAR = 300;
/** Links of a menu, at least. */
const LEAST_MENU = 3;
/** The share of the text beside links that the content has, at least. */
const LEAST_CONTENT = 0.7;
/** A table of contents may be what the page is for. */
const CONTENTS_NAME = /toc|contents/i;
/** A few words that are named so are the name of the manual, and at the end of the page its imprint. */
const MASTHEAD_NAME = /(?:^|[\s_-])(?:title-?area|project-?(?:name|logo)|site-?(?:name|title)|masthead)(?:$|[\s_-])/i;
const IMPRINT_NAME = /(?:^|[\s_-])(?:foot(?:er)?|legal-?copy|copyright|colophon|imprint)(?:$|[\s_-])/i;
const RESULTS_NAME = /(?:^|[\s_-])search-?results?(?:$|[\s_-])/i;

export function manualNavigation(root: ContentElement, page: NamedPage): ContentElement[] {
  const held = measureLinks(root, page);
  return [
    ...manualNotices(root, held),
    ...besideContent(root, held),
    ...ownContents(root, held),
    ...letterBars(root, held),
    ...emptyResults(root, held),
  ];
}

/** Lists of the page's own sections alone: on pages that are no manuals, menus are told apart by other means. */
export function contentsOfPage(root: ContentElement, page: NamedPage): ContentElement[] {
  let links = 0;
  for (const element of elementsIn(root)) {
    if (element.localName === "a" && element.getAttribute("href")?.includes("#") === true) links += 1;
    if (links > 1) return ownContents(root, measureLinks(root, page));
  }
  return [];
}

type Held = ReadonlyMap<ContentElement, LinkHoldings>;

/** The name of the manual, as Doxygen writes it, and the imprint with which a page ends. */
function manualNotices(root: ContentElement, held: Held): ContentElement[] {
  const isNotice = (element: ContentElement, names: RegExp) => {
    const one = held.get(element);
    if (one === undefined || one.headings > 0 || one.hasH1 || one.hasStructure) return false;
    return charactersIn(one) <= MAX_BAR && names.test(`${element.className} ${element.id}`);
  };
  const found = [...elementsIn(root)].filter((element) => isNotice(element, MASTHEAD_NAME));
  for (let end = lastWithText(root); end !== undefined; end = lastWithText(end))
    if (isNotice(end, IMPRINT_NAME)) return [...found, end];
  return found;
}

function lastWithText({ children }: ContentElement): ContentElement | undefined {
  return children.findLast(hasText);
}

/** Where scripts would show the results of a search: headings without a link or a text below them. */
function emptyResults(root: ContentElement, held: Held): ContentElement[] {
  return [...elementsIn(root)].filter((element) => {
    if (!RESULTS_NAME.test(`${element.className} ${element.id}`)) return false;
    const one = held.get(element);
    return one !== undefined && one.links === 0 && one.own === 0 && one.headings > 0 && !one.hasStructure;
  });
}

/** Lists of the page's own sections, such as "On this page", with the words above them. */
function ownContents(root: ContentElement, held: Held): ContentElement[] {
  const found: ContentElement[] = [];
  const most = charactersIn(held.get(root)) / 2;
  const visit = (element: ContentElement): void => {
    for (const child of element.children) {
      const one = held.get(child);
      if (one === undefined || one.titleLinks < 2 || PARTS.has(child.localName)) continue;
      if (isOwnContents(child, one, most) && !isAnnounced(child, held)) found.push(child, ...labelOf(child));
      else visit(child);
    }
  };
  visit(root);
  return found;
}

function isOwnContents(element: ContentElement, held: LinkHoldings, most: number): boolean {
  if (!BLOCKS.has(element.localName) || !isBox(element, held)) return false;
  if (held.headings > 1 || held.hasTitle || held.texts > 1) return false;
  const least = charactersIn(held) > most ? NEARLY_ALL_TITLES : LEAST_TITLES;
  if (held.ownLinks < held.links * LEAST_OWN || held.titleLinks < held.links * least) return false;
  return held.own <= Math.max(MAX_LABEL, held.linked / 2);
}

/** Whether a list belongs to the paragraph before it, and is not named a table of contents. */
function isAnnounced(list: ContentElement, held: Held): boolean {
  const { previousElementSibling: before, className, id } = list;
  if (before?.localName !== "p" || CONTENTS_NAME.test(`${className} ${id}`)) return false;
  return held.get(before)?.hasProse === true || /[,;:：]\s*$/u.test(before.textContent);
}

/** Words such as "Contents" before a list, unless they are a heading, which may be a section of the text. */
function labelOf({ previousElementSibling: label }: ContentElement): ContentElement[] {
  if (label === null || !/^(?:p|div|span|strong|b|summary|button)$/.test(label.localName)) return [];
  if (label.querySelectorAll("h1,h2,h3,h4,h5,h6,img,a").length > 0) return [];
  const text = label.textContent.trim();
  return text.length <= MAX_LABEL && !/[.!?。！？]$/u.test(text) ? [label] : [];
}

/**
 * Menus and bars beside the element that has nearly all of the text: what is named so, and links alone before it. What
 * follows a heading or a title belongs to that.
 */
function besideContent(root: ContentElement, held: Held): ContentElement[] {
  const found: ContentElement[] = [];
  const most = charactersIn(held.get(root)) / 2;
  let hasBegun = false;
  for (let around = root; ; ) {
    const least = (held.get(around)?.weight ?? 0) * LEAST_CONTENT;
    const content = around.children.find(
      (child) =>
        BLOCKS.has(child.localName) &&
        (!TEXTS.has(child.localName) || isArranging(child)) &&
        (held.get(child)?.weight ?? 0) > least,
    );
    const inside = content === undefined ? undefined : held.get(content);
    if (content === undefined || inside === undefined) return found;
    const largest = inside.hasProse || inside.headings > 0 ? Infinity : most;
    const visit = (element: ContentElement, isBefore: boolean): void => {
      const one = held.get(element);
      if (one === undefined) return;
      const mayBeMenu = isBefore && !hasBegun;
      const isMenu =
        charactersIn(one) <= largest &&
        (isBar(element, one, mayBeMenu ? largest : most) ||
          (mayBeMenu ? isLinks(element, one, inside.hasH1) : isMenuOfSite(element, one)));
      if (isMenu && one.links > 0) found.push(element);
      else if (one.links > 0 && (!PARTS.has(element.localName) || isArranging(element)))
        for (const child of element.children) visit(child, isBefore);
      if (!isMenu && isBefore) hasBegun ||= beginsText(element, one);
    };
    const at = around.children.indexOf(content);
    for (const [index, child] of around.children.entries()) if (index !== at) visit(child, index < at);
    around = content;
  }
}

/** Whether an element is a table without data, or a part of one: it only arranges the page. */
function isArranging(element: ContentElement): boolean {
  if (!TABLE_PARTS.has(element.localName)) return false;
  if (element.localName === "table") return !isDataTable(element);
  return element.parentNode !== null && isArranging(element.parentNode);
}

function charactersIn(held: LinkHoldings | undefined): number {
  return held === undefined ? 0 : held.linked + held.own;
}

function beginsText({ localName }: ContentElement, held: LinkHoldings): boolean {
  return held.headings > 0 || held.hasProse || held.hasTitle || (localName === "p" && held.texts > 0);
}

/** Whether it is named a bar and has no text beside its links but labels: "Prev Class", "Summary: Field | Method". */
function isBar(element: ContentElement, held: LinkHoldings, mostContents: number): boolean {
  const names = `${element.className} ${element.id}`;
  if (!isBox(element, held) || !namesSurroundings(names)) return false;
  if (charactersIn(held) > mostContents && CONTENTS_NAME.test(names)) return false;
  return held.own <= Math.max(MAX_BAR, held.linked);
}

/** `isAboveTitle`: the page's own title follows, so that headings and words among the links are those of a menu. */
function isLinks(element: ContentElement, held: LinkHoldings, isAboveTitle: boolean): boolean {
  if (held.hasTitle || !(isBox(element, held) || (element.localName === "p" && held.own === 0))) return false;
  if (isAboveTitle ? held.texts + held.headings > held.links / 2 + 1 : held.texts > 1 || held.headings > 0)
    return false;
  return held.links === 1 ? held.own === 0 : held.own <= Math.max(MAX_LABEL, held.linked / 2);
}

/** A menu leads to the page that it stands on, too. What a page says of others does not. */
function isMenuOfSite(element: ContentElement, held: LinkHoldings): boolean {
  return held.selfLinks > 0 && held.links >= LEAST_MENU && isLinks(element, held, true);
}

function isBox({ localName }: ContentElement, { hasH1, hasProse, hasStructure }: LinkHoldings): boolean {
  return !hasH1 && !hasProse && !hasStructure && !NEVER_BOXES.has(localName);
}
