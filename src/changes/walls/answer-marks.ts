import { hashOf } from "../page-version.ts";
import { foldText, maskText } from "../template/mask-text.ts";
import type { ViewedVersion } from "../view-version.ts";

/**
 * Marks by which answers of a host that say the same are known from each other: digests of the title and of the longest
 * blocks, without numbers, dates and tokens. An outage page has a number of its own for each request.
 */

/** A digest, and the characters for which it stands. */
export interface AnswerMark {
  mark: string;
  weight: number;
}

/** A page that says more than this is known by its longest blocks. */
const MOST_MARKS = 12;
/** Two answers are alike if so much of the one is in the other. */
const LEAST_ALIKE = 0.6;

/** The marks of a text; none for one that says nothing. */
export function marksOf({ title, blocks }: Pick<ViewedVersion, "title" | "blocks">): AnswerMark[] {
  const texts = [...(title === "" ? [] : [`title ${title}`]), ...blocks];
  const marks = new Map<string, number>();
  for (const text of texts) {
    const mark = hashOf(maskText(foldText(text)));
    marks.set(mark, (marks.get(mark) ?? 0) + text.length);
  }
  return [...marks]
    .map(([mark, weight]) => ({ mark, weight }))
    .sort((a, b) => b.weight - a.weight || (a.mark < b.mark ? -1 : 1))
    .slice(0, MOST_MARKS);
}

/** The mark of an answer without a text of its own, such as a redirect: by what it says of the page. */
export function markOfFact(fact: string): AnswerMark[] {
  return [{ mark: hashOf(fact), weight: fact.length }];
}

/** Which of the other pages answer alike. `others`: their marks, by URL. */
export function countAlike(own: readonly AnswerMark[], others: ReadonlyMap<string, ReadonlySet<string>>): number {
  const all = own.reduce((sum, { weight }) => sum + weight, 0);
  let alike = 0;
  for (const marks of others.values()) {
    const shared = own.reduce((sum, { mark, weight }) => sum + (marks.has(mark) ? weight : 0), 0);
    if (all > 0 && shared >= LEAST_ALIKE * all) alike += 1;
  }
  return alike;
}
