import { nameAfterBy, readByline, readCredit } from "../article/byline.ts";
import type { ContentElement, ContentText } from "../article/content-tree.ts";
import { elementsIn, nextNode, startOfText } from "../article/content-tree.ts";
import { tidy } from "../tree/tidy.ts";

/**
 * Gathers what a page shows about itself in its text: headings, names of authors, dates. Each has its place, because
 * the names and dates beside the headline are those of the page, and others belong to pages that it lists.
 */

interface Shown {
  /** Characters of text before it. */
  at: number;
}

export interface ShownHeading extends Shown {
  level: 1 | 2;
  text: string;
  /** Whether it is a link to the home page of a site, as a logo is. */
  leadsHome: boolean;
}

export interface ShownAuthor extends Shown {
  name: string;
  source: "rel=author" | "hcard" | "byline";
}

export interface ShownDate extends Shown {
  /** As written. */
  text: string;
  source: "time" | "text";
  /** Whether the page says beside it that it was changed on that day. */
  isModified: boolean;
}

const MAX_HEADINGS = 12;
const MAX_HEADING = 500;
/** Elements of a heading that stand on a line of their own. */
const BREAKS = new Set(["br", "div", "p", "small", "button"]);
/** Elements that are asked for the name of an author, and texts for a date. */
const MAX_ASKED = 60;
const MAX_DATES = 40;
/** Characters of a text that is a date, with the words around it. A sentence that mentions one is longer. */
const MAX_DATE = 80;
const YEAR = /(?:^|\D)(?:19|20)\d\d(?!\d)/;
const MODIFIED =
  /\b(?:updated?|modified|changed|revised|reviewed|edited|aktualisiert|geändert|actualizado|modifié|aggiornato|mis à jour)\b|更新/iu;
/** A day on which something else happened than the page's writing. */
const OTHER =
  /\b(?:joined|registered|member since|founded|established|expires?|deadline|starts?|ends?|due|born|copyright|from|since|until)\b|©/iu;
/** A part of the title is at least so long, in characters, and so much of the title. */
const MIN_TITLE = 12;
const LEAST_TITLE = 0.4;
/** Characters before a date in which its label stands, if it is a text of its own. */
const MAX_LABEL = 40;

const HOME = /^(?:\/|(?:https?:)?\/\/[^/?#]+\/?)$/i;

export class ShownFacts {
  readonly headings: ShownHeading[] = [];
  readonly authors: ShownAuthor[] = [];
  readonly dates: ShownDate[] = [];
  /** Where a part of the page's title stands first in a text, or in a heading of another level; null if nowhere. */
  titleAt: number | null = null;
  readonly #title: string;
  #at = 0;
  #asked = 0;
  /** The last text that is not empty, if it may be the label of a date. */
  #before = "";
  /** Whether the last text was "by". */
  #isBy = false;

  constructor(title: string | null) {
    this.#title = title ?? "";
  }

  readTime(element: ContentElement): void {
    const text = element.getAttribute("datetime")?.trim() || startOfText(element, MAX_DATE);
    this.#addDate(text, "time", `${this.#before} ${element.className}`);
  }

  /** `element`: one of which `mayNameAuthor` says so. */
  readCredit(element: ContentElement): void {
    if (this.#asked >= MAX_ASKED) return;
    const read = readCredit(element);
    if (read === undefined) return;
    this.#asked += 1;
    if (read !== null) this.authors.push({ at: this.#at, ...read });
  }

  readText({ data, parentNode }: ContentText): void {
    const length = data.length;
    if (length > 4 * MAX_DATE) {
      this.#at += length;
      this.#before = "";
      this.#isBy = false;
      return;
    }
    const text = data.trim();
    if (text === "") return;
    if (this.titleAt === null && text.length >= Math.max(MIN_TITLE, LEAST_TITLE * this.#title.length))
      if (this.#title.includes(text)) this.titleAt = this.#at;
    if (this.#asked < MAX_ASKED) this.#readName(text, parentNode);
    const isDate = text.length <= MAX_DATE && YEAR.test(text);
    if (isDate) this.#addDate(text, "text", `${this.#before} ${text}`);
    this.#at += text.length;
    this.#before = text.length <= MAX_LABEL && !isDate ? text : "";
  }

  #readName(text: string, parent: ContentElement | null): void {
    const { isBy, name } = nameAfterBy(text, this.#isBy);
    this.#isBy = isBy;
    if (name === null || parent === null) return;
    this.#asked += 1;
    const read = readByline(parent, name);
    if (read !== null) this.authors.push({ at: this.#at, name: read, source: "byline" });
  }

  readHeading(heading: ContentElement, level: 1 | 2): void {
    if (this.headings.length >= MAX_HEADINGS) return;
    const text = headingText(heading);
    if (text !== "" && text.length <= MAX_HEADING)
      this.headings.push({ at: this.#at, level, text, leadsHome: leadsHome(heading) });
  }

  #addDate(text: string, source: ShownDate["source"], around: string): void {
    if (this.dates.length < MAX_DATES && text !== "" && !OTHER.test(around))
      this.dates.push({ at: this.#at, text, source, isModified: MODIFIED.test(around) });
  }
}

/** Whether the first link in a heading, or else the one around it, has a path that is empty. */
function leadsHome(heading: ContentElement): boolean {
  let link = heading.parentNode;
  for (const inside of elementsIn(heading))
    if (inside.localName === "a") {
      link = inside;
      break;
    }
  return link?.localName === "a" && HOME.test(link.getAttribute("href")?.trim() ?? "");
}

/** Without buttons, and without the sign of a link to the heading itself. */
function headingText(heading: ContentElement): string {
  let text = "";
  for (let node = nextNode(heading, heading); node !== null && text.length < 4 * MAX_HEADING; ) {
    const isButton = node.nodeType === 1 && node.localName === "button";
    if (node.nodeType === 3) text += node.data.slice(0, 4 * MAX_HEADING);
    else if (BREAKS.has(node.localName)) text += " ";
    node = nextNode(node, heading, isButton);
  }
  return tidy(text, 2 * MAX_HEADING).replace(/ ?[¶#🔗]$/u, "");
}
