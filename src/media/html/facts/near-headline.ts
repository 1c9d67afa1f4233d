import type { PageKind } from "../../document.ts";
import { nameWords, sharedWords } from "./name-words.ts";
import type { ReadFact } from "./read-fact.ts";
import type { ShownAuthor, ShownDate, ShownFacts } from "./shown-facts.ts";
import { isSite, type Site } from "./title-parts.ts";

/** What stands beside the headline of a page is about the page. Elsewhere it may be about others. */

export interface ShownAround {
  authors: readonly ShownAuthor[];
  dates: readonly ShownDate[];
  /** Where the headline stands; null if it is not known. */
  headlineAt: number | null;
}

/** Characters of text between the headline and a fact below it, such as a summary and buttons, or above it. */
const BELOW = 1_500;
const ABOVE = 300;
/** The share of words that a heading has in common with the title if it is the headline. */
const ALIKE = 0.6;
/** Pages of these kinds show the names and dates of what they list or sell. */
const WITHOUT: ReadonlySet<PageKind> = new Set(["listing", "collection", "product", "home", "search", "error"]);

/** What a page of this kind shows of itself. */
export function shownOn(kind: PageKind, { authors, dates }: ShownFacts): Pick<ShownAround, "authors" | "dates"> {
  return WITHOUT.has(kind) ? { authors: [], dates: [] } : { authors, dates };
}

/** Whether a page of this kind has an author and a date, wherever it shows them. */
export function isWritten(kind: PageKind): boolean {
  return kind === "article" || kind === "forum" || kind === "other";
}

/** Returns where the headline stands in the text: at the heading that says what the title says, or at the first. */
export function findHeadline(title: ReadFact | null, { headings, titleAt }: ShownFacts, site: Site): number | null {
  const wanted = nameWords(title?.value ?? "");
  const likeness = headings.map(({ text }) => (text === title?.value ? 1 : sharedWords(nameWords(text), wanted)));
  const most = Math.max(0, ...likeness);
  if (most >= ALIKE) return headings[likeness.indexOf(most)]?.at ?? null;
  const first = headings.find(({ level, text }) => level === 1 && !isSite(text, site, false));
  return first?.at ?? titleAt;
}

/** Returns those below the headline, then those above it, the nearest first. */
export function nearHeadline<T extends { at: number }>(facts: readonly T[], headlineAt: number | null): T[] {
  if (headlineAt === null) return [];
  return [
    ...facts.filter(({ at }) => at >= headlineAt && at <= headlineAt + BELOW),
    ...facts.filter(({ at }) => at < headlineAt && at >= headlineAt - ABOVE).reverse(),
  ];
}
