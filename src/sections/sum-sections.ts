import {
  noCounts,
  SECTION_KINDS,
  SECTION_STATUSES,
  type Section,
  type SectionCounts,
  type SectionExample,
  type SectionKind,
  type SectionStatus,
  type Sections,
} from "./section.ts";

/**
 * Sums up the URLs of a crawl by sections. A section is a pattern, or the pages of one kind in a pattern that has
 * several. The numbers of URLs by pattern and kind have to be known first, because they say which kinds are sections.
 * For medians, a URL takes up to 24 bytes.
 */

/** Named sections. */
const MAX_SECTIONS = 50;
export const MAX_SECTION_EXAMPLES = 5;
/** A kind is a section of its own from this share of the pattern's pages and this number on. */
const MIN_KIND_SHARE = 0.2;
const MIN_KIND_PAGES = 5;
/** Kinds that may be guesses, or that nothing is known of. Such pages are in the pattern's largest section. */
const WEAK_KINDS: ReadonlySet<SectionKind> = new Set(["other", "error", "home"]);
const DAYS_PER_MONTH = 30;

export interface SectionRow {
  pattern: number;
  kind: SectionKind | null;
  status: SectionStatus;
  bytes: number;
  fetchMs: number;
  /** Null if it is not known; likewise links. */
  words: number | null;
  contentLinks: number | null;
  navigationLinks: number | null;
  rank: number;
  /** Discounted numbers of a watch; zeros without visits. */
  changes: number;
  days: number;
}

export interface RankedExample extends SectionExample {
  rank: number;
  isStored: boolean;
}

/** The place of a pattern and a kind among the counts. Kind 0: nothing was read. */
export function placeOf(pattern: number, kind: SectionKind | null): number {
  return pattern * (SECTION_KINDS.length + 1) + (kind === null ? 0 : SECTION_KINDS.indexOf(kind) + 1);
}

/** The number of places of so many patterns. */
export function countPlaces(patterns: number): number {
  return patterns * (SECTION_KINDS.length + 1);
}

/** The section of each place with URLs, by its first place. `counts`: URLs by place. */
function joinKinds(counts: Uint32Array): Uint32Array {
  const sections = new Uint32Array(counts.length);
  const width = SECTION_KINDS.length + 1;
  for (let first = 0; first < counts.length; first += width) {
    const kinds = SECTION_KINDS.map((kind, i) => ({ kind, place: first + i + 1, count: counts[first + i + 1] ?? 0 }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count);
    const pages = kinds.reduce((sum, { count }) => sum + count, 0);
    const own = kinds.filter(
      ({ kind, count }, i) =>
        i === 0 || (!WEAK_KINDS.has(kind) && count >= MIN_KIND_PAGES && count >= pages * MIN_KIND_SHARE),
    );
    // A weak kind gives its name only to a section that has no other one.
    const [largest] = own.filter(({ kind }) => !WEAK_KINDS.has(kind)).concat(own);
    sections.fill(largest?.place ?? first, first, first + width);
    for (const { place, kind } of own) if (!WEAK_KINDS.has(kind)) sections[place] = place;
  }
  return sections;
}

interface Draft extends SectionCounts {
  words: number[];
  contentLinks: number[];
  navigationLinks: number[];
  rank: number;
  pages: number;
  changes: number;
  days: number;
}

export class SectionSums {
  readonly #sectionOf: Uint32Array;
  readonly #drafts = new Map<number, Draft>();
  readonly #examples = new Map<number, RankedExample[]>();

  /** `counts`: URLs by place, of all rows that are to be added. */
  constructor(counts: Uint32Array) {
    this.#sectionOf = joinKinds(counts);
  }

  add(row: SectionRow): void {
    const place = this.#sectionOf[placeOf(row.pattern, row.kind)] ?? 0;
    let draft = this.#drafts.get(place);
    if (draft === undefined) {
      const sums = { rank: 0, pages: 0, changes: 0, days: 0 };
      draft = { ...noCounts(), words: [], contentLinks: [], navigationLinks: [], ...sums };
      this.#drafts.set(place, draft);
    }
    addRow(draft, row);
    if (row.words !== null) draft.words.push(row.words);
    if (row.contentLinks !== null) draft.contentLinks.push(row.contentLinks);
    if (row.navigationLinks !== null) draft.navigationLinks.push(row.navigationLinks);
    draft.changes += row.changes;
    draft.days += row.days;
    if (row.status !== "completed") return;
    draft.rank += row.rank;
    draft.pages += 1;
  }

  /** Examples of a place. */
  addExamples(place: number, examples: readonly RankedExample[]): void {
    const section = this.#sectionOf[place] ?? 0;
    const all = [...(this.#examples.get(section) ?? []), ...examples];
    this.#examples.set(section, bestExamples(all));
  }

  /** `toStep`: a mean rank as it is shown. */
  finish(patterns: readonly string[], toStep: (rank: number) => number): Sections {
    const total = noCounts();
    const width = SECTION_KINDS.length + 1;
    const all = [...this.#drafts].map(([place, draft]): Section => {
      addCounts(total, draft);
      const { urls, statuses, bytes, fetchMs, rank, pages, changes, days } = draft;
      return {
        pattern: patterns[Math.floor(place / width)] ?? "",
        kind: SECTION_KINDS[(place % width) - 1] ?? null,
        urls,
        statuses,
        bytes,
        fetchMs,
        words: medianOf(draft.words),
        contentLinks: medianOf(draft.contentLinks),
        navigationLinks: medianOf(draft.navigationLinks),
        rank: pages === 0 ? null : toStep(rank / pages),
        changesPerMonth: days === 0 ? null : (changes / days) * DAYS_PER_MONTH,
        examples: (this.#examples.get(place) ?? []).map(({ url, title }) => ({ url, title })),
      };
    });
    // Two sections of one pattern differ in their kind.
    all.sort((a, b) => b.urls - a.urls || compare(a.pattern, b.pattern) || compare(a.kind ?? "", b.kind ?? ""));
    const small = all.slice(MAX_SECTIONS);
    const others = { ...noCounts(), sections: small.length };
    for (const section of small) addCounts(others, section);
    return { total, sections: all.slice(0, MAX_SECTIONS), others: small.length === 0 ? null : others };
  }
}

/** The best examples, best first: stored pages by rank. */
export function bestExamples(examples: RankedExample[]): RankedExample[] {
  return examples
    .sort((a, b) => Number(b.isStored) - Number(a.isStored) || b.rank - a.rank || compare(a.url, b.url))
    .slice(0, MAX_SECTION_EXAMPLES);
}

function addRow(counts: SectionCounts, { status, bytes, fetchMs }: SectionRow): void {
  counts.urls += 1;
  counts.statuses[status] += 1;
  counts.bytes += bytes;
  counts.fetchMs += fetchMs;
}

function addCounts(counts: SectionCounts, { urls, statuses, bytes, fetchMs }: SectionCounts): void {
  counts.urls += urls;
  for (const name of SECTION_STATUSES) counts.statuses[name] += statuses[name];
  counts.bytes += bytes;
  counts.fetchMs += fetchMs;
}

/** The lower one of two middle values. */
function medianOf(values: number[]): number | null {
  return Uint32Array.from(values).sort()[(values.length - 1) >> 1] ?? null;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
