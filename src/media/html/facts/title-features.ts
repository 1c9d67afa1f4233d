import { sharedWords } from "./name-words.ts";
import { isWhole, PLACES, type Place, type Span, type TitleCandidate, type TitleFacts } from "./title-candidates.ts";
import { isSite } from "./title-parts.ts";

/**
 * What the model sees of a candidate (title-model.ts): in which places it stands and how much of each it is, what it
 * leaves out there, how much of it is in the URL, and what there is to choose from.
 */

/** The places that most often hold the name of the site, too. */
const NAMING = ["element", "og"] as const;
const SIGNS = [/[|｜]/u, /[-–—]/u, /:/u, /[·•»«›‹]/u];
/** The value for a place that does not have the candidate. */
const ABSENT = -1;
/** Paths of what is written once and dated. */
const POST_PATH = /\/(?:blogs?|news|articles?|posts?|stories|story|magazine|journal|\d{4})\//;

/** The names of the features, in their order. */
export const FEATURES: readonly string[] = [
  ...PLACES.map((place) => `part of ${place}`),
  ...NAMING.flatMap((place) =>
    ["words before", "words after", "site after", "sign before", "sign after"].map((what) => `${what} in ${place}`),
  ),
  ..."number likeness within covers".split(" ").map((what) => `h1 ${what}`),
  ..."words isSite endsInSite wholes places parts toElement toOg startsElement inUrl moreInUrl".split(" "),
  ..."h1s h1IsPart ogIsPart h1ToElement parts words candidates pathDepth isArticle ogType isSigned isDated headline post"
    .split(" ")
    .map((what) => `page ${what}`),
];

/** Writes the features of a page's candidates. */
export class TitleFeatures {
  readonly #facts: TitleFacts;
  readonly #h1s: readonly TitleCandidate[];
  readonly #element: readonly string[];
  readonly #og: readonly string[] | null;
  readonly #inUrl: ReadonlyMap<TitleCandidate, number>;
  readonly #ofPage: readonly number[];
  /** By part of a title, because several candidates have it. */
  readonly #sites = new Map<string, number>();

  constructor(facts: TitleFacts, candidates: readonly TitleCandidate[]) {
    this.#facts = facts;
    const path = (URL.parse(facts.url)?.pathname ?? "").toLowerCase();
    const wholes = (place: Place) => candidates.filter(({ spans }) => isWhole(spans[place]));
    this.#h1s = wholes("h1");
    this.#element = wholes("element")[0]?.words ?? [];
    this.#og = wholes("og")[0]?.words ?? null;
    this.#inUrl = new Map(
      candidates.map((one) => [one, one.words.filter((word) => path.includes(word)).length / one.words.length]),
    );
    const parts = candidates.filter(({ spans }) => spans.element !== undefined);
    const { isArticle, openGraphType, isSigned, isDated, headline } = facts;
    this.#ofPage = [
      this.#h1s.length,
      this.#h1s.some(({ spans }) => spans.element !== undefined) ? 1 : 0,
      wholes("og").some(({ spans }) => spans.element !== undefined) ? 1 : 0,
      Math.max(0, ...this.#h1s.flatMap(({ words }) => parts.map((part) => sharedWords(part.words, words)))),
      parts[0]?.spans.element?.statement.parts.texts.length ?? 0,
      this.#element.length,
      candidates.length,
      path.split("/").filter((part) => part !== "").length,
      isArticle ? 1 : 0,
      openGraphType === "" ? 0 : openGraphType.startsWith("article") ? 2 : 1,
      isSigned ? 1 : 0,
      isDated ? 1 : 0,
      headline === null ? 0 : 1,
      POST_PATH.test(path) ? 1 : 0,
    ];
  }

  write(candidate: TitleCandidate, row: Float32Array): void {
    const { words, name, spans, value } = candidate;
    const all = Object.values(spans);
    const { texts } = all[0]?.statement.parts ?? { texts: [] };
    const own = texts.slice(all[0]?.from, all[0]?.to);
    const others = this.#h1s.filter((one) => one !== candidate);
    const inUrl = this.#inUrl.get(candidate) ?? 0;
    row.set([
      ...PLACES.map((place) => partOf(spans[place])),
      ...NAMING.flatMap((place) => this.#leftOut(spans[place])),
      spans.h1?.at ?? ABSENT,
      Math.max(0, ...this.#h1s.map((one) => sharedWords(one.words, words))),
      others.some((one) => ` ${one.name} `.includes(` ${name} `)) ? 1 : 0,
      others.some((one) => ` ${name} `.includes(` ${one.name} `)) ? 1 : 0,
      words.length,
      this.#siteness(value),
      own.length > 1 ? this.#siteness(own.at(-1) ?? "") : 0,
      all.filter(isWhole).length,
      all.length,
      own.length,
      sharedWords(this.#element, words),
      this.#og === null ? ABSENT : sharedWords(this.#og, words),
      this.#startsElement(words),
      inUrl,
      inUrl - this.#mostInUrl(candidate),
      ...this.#ofPage,
    ]);
  }

  /** The share of its words with which the `title` element begins, too. */
  #startsElement(words: readonly string[]): number {
    const differs = words.findIndex((word, at) => word !== this.#element[at]);
    return (differs < 0 ? words.length : differs) / words.length;
  }

  /** The greatest share of another candidate that is in the URL. */
  #mostInUrl(candidate: TitleCandidate): number {
    let most = 0;
    for (const [one, share] of this.#inUrl) if (one !== candidate && share > most) most = share;
    return most;
  }

  #leftOut(span: Span | undefined): number[] {
    if (span === undefined) return [ABSENT, ABSENT, 0, 0, 0];
    const { texts, signs } = span.statement.parts;
    const after = texts.slice(span.to);
    const count = (some: readonly string[]) => some.reduce((sum, text) => sum + text.split(/\s+/).length, 0);
    return [
      count(texts.slice(0, span.from)),
      count(after),
      after.length === 0 ? 0 : this.#siteness(after.at(-1) ?? ""),
      kindOfSign(signs[span.from - 1]),
      kindOfSign(signs[span.to - 1]),
    ];
  }

  #siteness(text: string): number {
    let siteness = this.#sites.get(text);
    if (siteness === undefined) {
      const { site } = this.#facts;
      siteness = isSite(text, site, false) ? 2 : isSite(text, site, true) ? 1 : 0;
      this.#sites.set(text, siteness);
    }
    return siteness;
  }
}

/** 0 if it does not stand there, 1 in the middle, 2 at the end, 3 at the start, 4 if it is all of it. */
function partOf(span: Span | undefined): number {
  if (span === undefined) return 0;
  if (isWhole(span)) return 4;
  if (span.from === 0) return 3;
  return span.to === span.statement.parts.texts.length ? 2 : 1;
}

function kindOfSign(sign: string | undefined): number {
  return sign === undefined ? 0 : SIGNS.findIndex((one) => one.test(sign)) + 1;
}
