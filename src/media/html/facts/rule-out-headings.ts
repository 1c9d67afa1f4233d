import type { ShownHeading } from "./shown-facts.ts";
import { isWhole, type Span, type TitleCandidate } from "./title-candidates.ts";

/** Rules out first-level headings that are not the title of a page, where another candidate shows what they are. */

/** What stands before the title in a heading, such as "Thread:". */
const LABEL = /^(?:\p{L}+:\s*)?$/u;
/** What stands after it, such as "(158 items)", "(87)" or "(example.com) 87". A year is a part of the title. */
const COUNT = /^\s*(?:\((?:\d{1,3}|[\d.,]+\s+\p{L}+)\)|\([^()]*\)\s+\d+)?$/u;
/** Words of a title in such a heading. A single word may stand anywhere. */
const MIN_WORDS = 2;

export function ruleOutHeadings(candidates: TitleCandidate[], headings: readonly ShownHeading[]): TitleCandidate[] {
  const left = candidates.filter(({ spans, name }) => {
    if (spans.h1 === undefined || !isWhole(spans.h1)) return true;
    const others = candidates.filter((one) => one.name !== name);
    return !(isNameOfManual(spans.h1, spans.element, others, headings) || isLabelled(spans, others));
  });
  return left.length === 0 ? candidates : left;
}

/** Each page of a manual may have its name as a heading: then `title` ends with it, and begins with a heading below. */
function isNameOfManual(
  { statement: { text } }: Span,
  element: Span | undefined,
  others: readonly TitleCandidate[],
  headings: readonly ShownHeading[],
): boolean {
  if (element === undefined || element.from === 0 || element.to < element.statement.parts.texts.length) return false;
  const at = headings.findIndex((heading) => heading.text === text);
  const below = new Set(headings.slice(at + 1).map((heading) => heading.text));
  return others.some(({ spans: { element: start, h1, h2 } }) => {
    if (start === undefined || start.from > 0 || start.to > element.from) return false;
    return [h1, h2].some((span) => span !== undefined && isWhole(span) && below.has(span.statement.text));
  });
}

/** Whether a heading is what the page says elsewhere, with a label or a count. */
function isLabelled({ h1, element, og }: TitleCandidate["spans"], others: readonly TitleCandidate[]): boolean {
  if (h1 === undefined || element !== undefined || og !== undefined) return false;
  const { text } = h1.statement;
  return others.some(({ value, words, spans }) => {
    const at = text.toLowerCase().indexOf(value.toLowerCase());
    if (at < 0 || words.length < MIN_WORDS || (spans.element === undefined && spans.og === undefined)) return false;
    return LABEL.test(text.slice(0, at)) && COUNT.test(text.slice(at + value.length));
  });
}
