import type { PageKind } from "../../document.ts";
import type { BodyFacts } from "./body-facts.ts";
import { isWritten, nearHeadline, type ShownAround } from "./near-headline.ts";
import { findDate, pageDate, urlDate } from "./page-date.ts";
import type { ReadFact } from "./read-fact.ts";
import type { ShownDate } from "./shown-facts.ts";

/** Finds when a page was published and changed. */

const PUBLISHED_FIRST = ["article:published_time", "og:article:published_time"];
const PUBLISHED_NAMES = [
  "datepublished",
  "parsely-pub-date",
  "sailthru.date",
  "cxenseparse:publishtime",
  "pubdate",
  "publish-date",
  "publish_date",
  "publication_date",
  "citation_publication_date",
  "citation_date",
  "citation_online_date",
];
const DUBLIN_CORE = [
  "dc.date.issued",
  "dcterms.issued",
  "dc.issued",
  "dcterms.created",
  "dc.date.created",
  "dcterms.date",
  "dc.date",
  "date",
];
const MODIFIED_FIRST = ["article:modified_time", "og:updated_time", "og:article:modified_time"];
const MODIFIED_NAMES = ["datemodified", "last-modified", "dcterms.modified", "dc.date.modified", "lastmod", "revised"];

interface DateFacts {
  metas: ReadonlyMap<string, string>;
  /** A property of the page's article in JSON-LD, or else of anything there. */
  described: (property: string) => string | null;
  body: BodyFacts;
  shown: ShownAround;
  url: string;
  language: string | null;
  kind: PageKind;
}

export interface ReadDates {
  published: ReadFact | null;
  modified: ReadFact | null;
}

/**
 * A date that a page states for machines comes before one that it shows. A page that shows only when it was updated has
 * that day as its date.
 */
export function findDates(facts: DateFacts): ReadDates {
  const { metas, described, body, shown, url, language, kind } = facts;
  const read = (written: string | null | undefined, source: string): ReadFact | null => {
    const value = written ? pageDate(written, language, "own") : null;
    return value === null ? null : { value, source };
  };
  const meta = (names: readonly string[]) => firstRead(names, (name) => read(metas.get(name), `meta ${name}`));
  const jsonLd = (...properties: string[]) =>
    firstRead(properties, (property) => read(described(property), `json-ld ${property}`));
  const readShown = ({ text, source }: ShownDate): ReadFact | null => {
    const value = findDate(text, language, "own");
    return value === null ? null : { value, source };
  };
  const near = nearHeadline(shown.dates, shown.headlineAt);
  const modified =
    meta(MODIFIED_FIRST) ??
    jsonLd("dateModified") ??
    meta(MODIFIED_NAMES) ??
    read(body.modified, "microdata dateModified") ??
    firstRead(
      near.filter(({ isModified }) => isModified),
      readShown,
    );
  const inUrl = urlDate(url);
  const published =
    meta(PUBLISHED_FIRST) ??
    jsonLd("datePublished") ??
    meta([...PUBLISHED_NAMES, ...DUBLIN_CORE]) ??
    jsonLd("uploadDate", "dateCreated") ??
    read(body.published, "microdata datePublished") ??
    firstRead(
      near.filter(({ isModified }) => !isModified),
      readShown,
    ) ??
    (inUrl === null ? null : { value: inUrl, source: "url" }) ??
    firstRead(near, readShown) ??
    (isWritten(kind) ? onlyDate(shown.dates, readShown) : null);
  return { published, modified };
}

function firstRead<T>(from: readonly T[], read: (one: T) => ReadFact | null): ReadFact | null {
  for (const one of from) {
    const found = read(one);
    if (found !== null) return found;
  }
  return null;
}

/** The date that a page shows if it shows no other, and else the first one that it marks as a time. */
function onlyDate(dates: readonly ShownDate[], read: (one: ShownDate) => ReadFact | null): ReadFact | null {
  const found = dates.map(read).filter((one) => one !== null);
  const days = new Set(found.map(({ value }) => value.slice(0, 10)));
  return (days.size === 1 ? found[0] : found.find(({ source }) => source === "time")) ?? null;
}
