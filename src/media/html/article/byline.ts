import { tidy } from "../tree/tidy.ts";
import type { ContentElement } from "./content-tree.ts";
import { elementsIn, startOfText } from "./content-tree.ts";

/** Reads the names of authors from the elements that show them: bylines, and hCards as blogs mark them. */

const BYLINE = /(?:^|[\s_-])(?:byline|by-line)(?:$|[\s_-])/i;
/** https://microformats.org/wiki/hcard */
const CARD = /(?:^|\s)vcard(?:$|\s)/i;
const CARD_NAME = /(?:^|\s)fn(?:$|\s)/i;
/** Places that show other people: those who comment, and the publisher. */
const ELSEWHERE = /comment|reply|footer|sidebar|widget|related|teaser/i;
const ELSEWHERE_ELEMENTS = new Set(["footer", "aside", "nav"]);
/** An `address` without such a name is the publisher's. */
const AUTHOR_NAMES = /author|byline/i;

/** Characters of a byline that are read, and of a name. */
export const MAX_BYLINE = 200;
const MAX_NAME = 80;
const MAX_WORDS = 8;
const BY =
  /^(?:(?:written|posted|published|text|words|story|reported)\s+)?(?:by|von|par|por|di|da|door|av|af|autor(?:in)?|auteur|autore|author)(?:\s*[:：]\s*|\s+)|^(?:作者|文|記者|记者|撰文)\s*[:：／/]\s*/i;
/**
 * The words before a date are in lower case, and "le", "el", "il", "am" and "vom" also begin surnames: "John le Carré",
 * "le lundi 5 mars".
 */
const DATE_AFTER_NAME =
  /,?\s+(?:(?:on|ON)\s|(?:am|vom)\s+(?:\p{L}+(?:tag|woch|abend),?\s+(?:den\s+)?)?\d|(?:le|el|il)\s+(?:\p{Ll}+,?\s+)?\d).*$/su;
const AFTER_NAME = /,?\s*(?:[|•·—–\n\d]|\s-\s|,?\s+(?:updated|published|posted|last)\s).*$/isu;

/** Returns the name in an element that shows the author of the page, or null. */
export function readByline(element: ContentElement, names: string): string | null {
  const isCard = CARD.test(names);
  if ((!isCard && !BYLINE.test(names)) || isElsewhere(element)) return null;
  const card = CARD_NAME.test(names) ? element : cardName(element);
  // The name in a card is only a name: "Di Stefano" has no word for "by".
  return isCard && card !== null ? beforeDate(textOf(card)) : nameInByline(textOf(element));
}

/** Returns the name that a byline writes: "By Ann Lee | 5 March" is by Ann Lee. */
function nameInByline(text: string): string | null {
  return beforeDate(text.trim().replace(BY, ""));
}

function beforeDate(text: string): string | null {
  const name = tidy(text.trim().replace(DATE_AFTER_NAME, "").replace(AFTER_NAME, ""), MAX_BYLINE);
  const isName = /\p{L}/u.test(name) && name.length <= MAX_NAME && name.split(" ").length <= MAX_WORDS;
  return isName && name.length > 1 ? name : null;
}

function textOf(element: ContentElement): string {
  return startOfText(element, MAX_BYLINE);
}

function cardName(card: ContentElement): ContentElement | null {
  for (const element of elementsIn(card)) if (CARD_NAME.test(element.className)) return element;
  return null;
}

function isElsewhere(element: ContentElement): boolean {
  for (let node: ContentElement | null = element; node !== null; node = node.parentNode) {
    const { localName, className } = node;
    if (ELSEWHERE_ELEMENTS.has(localName) || (localName !== "body" && ELSEWHERE.test(className))) return true;
    if (localName === "address" && !AUTHOR_NAMES.test(className)) return true;
  }
  return false;
}
