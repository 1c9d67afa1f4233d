import { tidy } from "../tree/tidy.ts";
import { nameWords } from "./name-words.ts";
import type { ReadFact } from "./read-fact.ts";
import type { ShownHeading } from "./shown-facts.ts";
import { isSite, joinParts, MAX_PAGE_TITLE, type Site, splitTitle, type TitleParts } from "./title-parts.ts";

/** Lists what may be the title of a page: what the page calls itself in several places, and the parts of each. */

export interface TitleFacts {
  /** The text of the `title` element. */
  element: string | null;
  /** `og:title`, `twitter:title`, and the `headline` of JSON-LD. */
  openGraph: string | null;
  twitter: string | null;
  headline: string | null;
  /** The name of a work, for libraries: Dublin Core, or a citation. */
  work: ReadFact | null;
  headings: readonly ShownHeading[];
  /** The first `h1`. */
  h1: string | null;
  site: Site;
  url: string;
  /** In lower case; empty if there is none. */
  openGraphType: string;
  /** Whether it calls itself an article, and whether it names an author and a date. */
  isArticle: boolean;
  isSigned: boolean;
  isDated: boolean;
}

/** The places. If several have a candidate, it is written and credited as in the first one of this list. */
export const PLACES = ["h1", "work", "og", "element", "twitter", "headline", "h2"] as const;
export type Place = (typeof PLACES)[number];

/** What a page says in one place. */
interface Statement {
  place: Place;
  text: string;
  source: string;
  parts: TitleParts;
}

export interface TitleCandidate extends ReadFact {
  words: readonly string[];
  /** The words, joined by spaces. No two candidates of a page have the same. */
  name: string;
  /** Its span in each place that has it. */
  spans: Partial<Record<Place, Span>>;
}

export interface Span {
  statement: Statement;
  /** The number of the statement among those of its place. */
  at: number;
  /** Its parts: `to` is the first that it leaves out. */
  from: number;
  to: number;
}

/** A title with more parts has only a few runs as candidates. */
const MAX_PARTS = 6;
/** Headings of each level. */
const MAX_HEADINGS = 4;

export function listCandidates(facts: TitleFacts): TitleCandidate[] {
  const candidates = new Map<string, TitleCandidate>();
  const counts = new Map<Place, number>();
  for (const statement of statementsOf(facts)) {
    const at = counts.get(statement.place) ?? 0;
    counts.set(statement.place, at + 1);
    for (const [from, to] of runsOf(statement)) {
      const value = tidy(joinParts(statement.parts, from, to), MAX_PAGE_TITLE);
      const words = nameWords(value);
      const name = words.join(" ");
      if (name === "") continue;
      const candidate = candidates.get(name) ?? { value, source: statement.source, words, name, spans: {} };
      candidates.set(name, candidate);
      const span = { statement, at, from, to };
      const known = candidate.spans[statement.place];
      if (known === undefined || (isWhole(span) && !isWhole(known))) candidate.spans[statement.place] = span;
    }
  }
  return [...candidates.values()];
}

/** A heading that is the name of the site, as a logo often is, says nothing of the page. */
function statementsOf({ element, openGraph, work, twitter, headline, headings, site }: TitleFacts): Statement[] {
  const of = (place: Place, text: string | null, source: string): Statement[] =>
    text === null ? [] : [{ place, text, source, parts: splitTitle(text) }];
  const ofLevel = (level: 1 | 2) =>
    headings.filter((one) => one.level === level && !isSite(one.text, site, false)).slice(0, MAX_HEADINGS);
  return [
    ...ofLevel(1).flatMap(({ text }) => of("h1", text, "h1")),
    ...of("work", work?.value ?? null, work?.source ?? ""),
    ...of("og", openGraph, "meta og:title"),
    ...of("element", element, "title"),
    ...of("twitter", twitter, "meta twitter:title"),
    ...of("headline", headline, "json-ld headline"),
    ...ofLevel(2).flatMap(({ text }) => of("h2", text, "h2")),
  ];
}

/** The runs of parts of a statement: all of it, and less. */
function runsOf({ place, parts }: Statement): [from: number, to: number][] {
  const count = parts.texts.length;
  if (count === 1 || place === "h2") return [[0, count]];
  if (count > MAX_PARTS)
    return [
      [0, count],
      [0, count - 1],
      [1, count],
      [0, 1],
    ];
  return parts.texts.flatMap((_, from) =>
    parts.texts.slice(from).map((_, length): [number, number] => [from, from + length + 1]),
  );
}

export function isWhole(span: Span | undefined): boolean {
  return span !== undefined && span.to - span.from === span.statement.parts.texts.length;
}
