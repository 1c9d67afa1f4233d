import { monthNumber } from "../facts/month-names.ts";
import { tidy } from "../tree/tidy.ts";
import type { ContentElement } from "./content-tree.ts";
import { elementsIn, nextNode } from "./content-tree.ts";

/** Reads the names of authors from the elements that show them: bylines, and hCards as blogs mark them. */

/** https://microformats.org/wiki/hcard */
const CARD = /(?:^|\s)vcard(?:$|\s)/i;
const CARD_NAME = /(?:^|\s)fn(?:$|\s)/i;
/** The words of a class that name the author of a page, and those that name something about the author. */
const AUTHOR_WORDS = /^(?:authors?|byline|writer|contributors?|username)$/;
const BESIDE_WORDS =
  /^(?:avatar|image|img|photo|picture|pic|thumb|thumbnail|icon|bio|biography|desc|description|about|title|position|role|job|date|time|social|links?|url|follow|email|twitter|count|posts?list|archive|filter|search|quote|prefix|by|label|heading)$/;
/** Links to the page of an author. */
const AUTHOR_PATH = /\/(?:authors?|contributors?|writers?|staff|columnists?|reporters?|journalists?)\/[^/?#]+/i;
/** Places that show other people: those who comment, and the publisher. */
const ELSEWHERE = /comment|reply|footer|sidebar|widget|related|teaser/i;
/** With these words a class describes the layout: `has-sidebar`. */
const LAYOUT = /(?:^|[^a-z])(?:has|no|with|without|layout|left|right|wrap(?:per)?|container|page)(?:$|[^a-z])/i;
const ELSEWHERE_ELEMENTS = new Set(["footer", "aside", "nav"]);
/** An `address` without such a name is the publisher's. */
const AUTHOR_NAMES = /author|byline/i;

/** Characters of a byline that are read, and of a name. */
export const MAX_BYLINE = 200;
const MAX_NAME = 80;
const MAX_WORDS = 8;
const WRITTEN =
  "(?:(?:written|posted|published|text|words|story|reported|article|started|contributed|" +
  "(?:(?:view|see|all|more)\\s+)*(?:posts|articles|stories))\\s+)?";
const BY_WORDS = "by|von|par|por|autor(?:in)?|auteur|autore|authors?|author\\(s\\)|contributors?";
const HAN_BY = "(?:作者|文|記者|记者|撰文)\\s*[:：／/]";
const BY = new RegExp(`^${WRITTEN}(?:${BY_WORDS}|di|da|door|av|af)(?:\\s*[:：]\\s*|\\s+)|^${HAN_BY}\\s*`, "i");
/** A text that is this alone stands before a name. Some short words are names too: "Di". */
const BY_ALONE = new RegExp(`^${WRITTEN}(?:${BY_WORDS})\\s*[:：]?$|^${HAN_BY}$`, "i");
/** "By" also begins sentences, so what follows in the same text must look like a name. */
const BY_NAME = /^(?:(?:written|posted|published|reported)\s+)?by:?\s+(.+)$/isu;
/** Words of a name that may be in lower case, or stand between two names. */
const SMALL_WORDS =
  /^(?:de|del|della|der|den|di|da|das|do|dos|du|la|le|van|von|vom|zu|bin|ibn|al|el|y|e|i|and|und|et|the|of|&)$/;
/**
 * The words before a date are in lower case, and "le", "el", "il", "am" and "vom" also begin surnames: "John le Carré",
 * "le lundi 5 mars".
 */
const DATE_AFTER_NAME =
  /,?\s+(?:(?:on|ON)\s|(?:am|vom)\s+(?:\p{L}+(?:tag|woch|abend),?\s+(?:den\s+)?)?\d|(?:le|el|il)\s+(?:\p{Ll}+,?\s+)?\d).*$/su;
const AFTER_NAME = /,?\s*(?:[|•·⋅∙—–→\n]|(?<![\p{L}\d_.-])\d|\s-\s|,?\s+(?:updated|published|posted|last)\s).*$/isu;
/** A text that leads to something else than a person. */
const NO_NAME =
  /:\/\/|\b(?:sign (?:in|up)|log ?in|shop all|view all|see all|read more|about us|contact us|follow|subscribe)\b|[.!?…]$/i;

const MAY_NAME = /author|byline|by-line|writer|contributor|username|vcard/i;

/** Whether an attribute may say that its element names an author: a quick look, as each element has some. */
export function mayNameAuthor(attribute: "class" | "rel" | "href", value: string): boolean {
  if (attribute === "href") return AUTHOR_PATH.test(value);
  return attribute === "rel" ? /author/i.test(value) : MAY_NAME.test(value);
}

/** Who an element says has written the page. Undefined if it is no element that says so, null if it has no name. */
export function readCredit(
  element: ContentElement,
): { name: string; source: "rel=author" | "hcard" | "byline" } | null | undefined {
  const { className } = element;
  const isRel = /(?:^|\s)author(?:\s|$)/i.test(element.getAttribute("rel") ?? "");
  const isCard = CARD.test(className);
  if (!isRel && !isCard && !namesAuthor(className) && !linksToAuthor(element)) return undefined;
  if (isElsewhere(element)) return null;
  if (isCard) {
    const card = CARD_NAME.test(className) ? element : cardName(element);
    // The name in a card is only a name: "Di Stefano" has no word for "by".
    const name = card === null ? nameInByline(textOf(element)) : beforeDate(textOf(card));
    return name === null ? null : { name, source: "hcard" };
  }
  const name = nameInByline(textOf(element));
  return name === null ? null : { name, source: isRel ? "rel=author" : "byline" };
}

/** The name of an author that an element holds, with more about him or her after it. */
export function readName(element: ContentElement): string | null {
  return nameInByline(textOf(element));
}

/** The name in a text that `nameAfterBy` has found, which stands in `parent`. */
export function readByline(parent: ContentElement, text: string): string | null {
  const name = isElsewhere(parent) ? null : nameInByline(text);
  return name !== null && looksLikeName(name) ? name : null;
}

/**
 * Whether a text is a word like "by", and what stands in it after such a word. `isAfterBy`: whether the text before it
 * is such a word.
 */
export function nameAfterBy(text: string, isAfterBy: boolean): { isBy: boolean; name: string | null } {
  if (text.length > MAX_BYLINE) return { isBy: false, name: null };
  if (BY_ALONE.test(text)) return { isBy: true, name: null };
  if (isAfterBy) return { isBy: false, name: text };
  return { isBy: false, name: BY_NAME.exec(text)?.[1] ?? null };
}

/** Whether each word begins with a capital letter: "By default" and "by clicking" name nobody. */
function looksLikeName(name: string): boolean {
  const words = name.split(/[\s,]+/);
  return /^\p{Lu}|^\p{Lo}/u.test(name) && words.every((word) => !/^\p{Ll}/u.test(word) || SMALL_WORDS.test(word));
}

/** Whether a class says that the element has the author's name. */
function namesAuthor(className: string): boolean {
  if (!MAY_NAME.test(className)) return false;
  return className
    .slice(0, 2 * MAX_BYLINE)
    .split(/\s+/)
    .some((name) => {
      const words = name
        .replace(/by-line/i, "byline")
        .replace(/([a-z])([A-Z])/g, "$1-$2")
        .toLowerCase()
        .split(/[^a-z]+/);
      return words.some((word) => AUTHOR_WORDS.test(word)) && !words.some((word) => BESIDE_WORDS.test(word));
    });
}

function linksToAuthor(element: ContentElement): boolean {
  return element.localName === "a" && AUTHOR_PATH.test(element.getAttribute("href") ?? "");
}

/** Returns the name that a byline writes: "By Ann Lee | 5 March" is by Ann Lee. */
function nameInByline(text: string): string | null {
  return beforeDate(text.trim().replace(BY, ""));
}

function beforeDate(text: string): string | null {
  const before = text.trim().replace(DATE_AFTER_NAME, "");
  const cut = before.replace(AFTER_NAME, "");
  const name = tidy(cut.length < before.length ? withoutMonth(cut) : cut, MAX_BYLINE).replace(/[,;:\s]+$/, "");
  const isName = /\p{L}/u.test(name) && name.length <= MAX_NAME && name.split(" ").length <= MAX_WORDS;
  return isName && name.length > 1 && !NO_NAME.test(name) && !isBy(name) ? name : null;
}

/** The day after the month was cut off: "Ann Lee, March". */
function withoutMonth(text: string): string {
  return text.replace(/(?:^|[,\s]+)(\p{L}+)\.?$/u, (all, word) => (monthNumber(word, null) === 0 ? all : ""));
}

function isBy(text: string): boolean {
  return BY_ALONE.test(text);
}

/** The start of its text; a line ends where an element ends within a word. */
function textOf(element: ContentElement): string {
  let text = "";
  for (let node = nextNode(element, element); node !== null && text.length < MAX_BYLINE; node = nextNode(node, element))
    if (node.nodeType === 3) {
      const isJoined = /[\p{L}\p{N}]$/u.test(text) && /^[\p{Lu}\p{N}]/u.test(node.data);
      text += `${isJoined ? "\n" : ""}${node.data.slice(0, MAX_BYLINE - text.length)}`;
    }
  return text;
}

function cardName(card: ContentElement): ContentElement | null {
  for (const element of elementsIn(card)) if (CARD_NAME.test(element.className)) return element;
  return null;
}

function isPlaceOfOthers(className: string): boolean {
  if (!ELSEWHERE.test(className)) return false;
  return className.split(/\s+/).some((name) => ELSEWHERE.test(name) && !LAYOUT.test(name));
}

function isElsewhere(element: ContentElement): boolean {
  for (let node: ContentElement | null = element; node !== null; node = node.parentNode) {
    const { localName, className } = node;
    if (
      (ELSEWHERE_ELEMENTS.has(localName) && (node !== element || localName !== "aside")) ||
      (localName !== "body" && isPlaceOfOthers(className))
    )
      return true;
    if (localName === "address" && !AUTHOR_NAMES.test(className)) return true;
  }
  return false;
}
