import type { PageKind } from "../../document.ts";
import type { CopiedPage } from "../tree/copy-document.ts";
import { tidy } from "../tree/tidy.ts";
import type { JsonObject } from "./json-ld.ts";
import { isObject, namesOf, typesOf } from "./json-ld.ts";
import { nameWords } from "./name-words.ts";
import { isWritten, nearHeadline, type ShownAround } from "./near-headline.ts";
import type { ReadFact } from "./read-fact.ts";
import { isSite, type Site } from "./title-parts.ts";

/** Finds who has written a page. */

const MAX_TEXT = 500;
/** Names of `meta` elements. Papers have a `citation_author` for each author. */
const NAMES = [
  "author",
  "article:author",
  "parsely-author",
  "sailthru.author",
  "cxenseparse:author",
  "dc.creator",
  "dcterms.creator",
  "citation_author",
  "byl",
  "twitter:creator",
];
/** Names that a program gives, and that name nobody. */
const NOBODY =
  /^(?:by|author|authors|name|user|admin|administrator|editor|staff|webmaster|root|default|unknown|none|null|undefined|anonymous|guest|n\/a)$/i;
/** A template that was not filled in, such as `{{ author }}` or `page.author.name`. */
const TEMPLATE = /[{}<>%]|^\w+(?:\.\w+){2,}$/;
/** The name of an account, which a person who is named elsewhere may have. */
const ACCOUNT = /^[\p{Ll}\p{N}._-]+$/u;
/** A page that shows more authors lists articles of others. */
const MOST_AUTHORS = 3;

interface AuthorFacts {
  metas: CopiedPage["metas"];
  things: readonly JsonObject[];
  article: JsonObject | null;
  inMicrodata: string | null;
  shown: ShownAround;
  site: Site;
  kind: PageKind;
}

/**
 * A person comes first: in `meta`, JSON-LD or microdata, or beside the headline. Then an account, as forums have them,
 * and at last a name that is also the site's: it is its own author, or an organization.
 */
export function readAuthor({ metas, things, article, inMicrodata, shown, site, kind }: AuthorFacts): ReadFact | null {
  const described = article ?? things.find((thing) => thing.author !== undefined) ?? null;
  const all = described === null ? [] : [described.author ?? described.creator].flat();
  const people = all.filter((one) => !isOrganization(one, things));
  const authors = shown.authors.map(({ name, source, at }) => ({ names: [name], source, at }));
  const near = nearHeadline(authors, shown.headlineAt);
  const hasAuthor = isWritten(kind);
  const distinct = new Set(shown.authors.map(({ name }) => nameWords(name).join(" ")));
  const stated = [
    ...statedAuthors(metas),
    { names: namesOf(people, things), source: "json-ld author" },
    { names: inMicrodata === null ? [] : [inMicrodata], source: "microdata author" },
  ];
  const elsewhere = hasAuthor && distinct.size <= MOST_AUTHORS ? authors : [];

  const isAnybody = (name: string) => !NOBODY.test(name) && !name.includes("@");
  const isOwn = (name: string) => isAnybody(name) && !isSite(name, site, false);
  const isPerson = (name: string) => isOwn(name) && (kind === "forum" || !ACCOUNT.test(name));
  return (
    firstNamed([...stated, ...near.slice(0, 1)], isPerson) ??
    firstNamed(stated, isOwn) ??
    firstNamed(stated, (name) => isAnybody(name) && name.includes(" ")) ??
    firstNamed(elsewhere, isOwn) ??
    (hasAuthor
      ? firstNamed([...stated, { names: namesOf(all, things), source: "json-ld author" }], () => true)
      : null) ??
    firstNamed(near, isAnybody)
  );
}

interface Named {
  names: readonly string[];
  source: string;
}

/** The names of the first one that has some of those that are wanted. */
function firstNamed(all: readonly Named[], isWanted: (name: string) => boolean): ReadFact | null {
  for (const { names, source } of all) {
    const wanted = [
      ...new Set(names.map((name) => tidy(name, MAX_TEXT).replace(/^(?:by\s+|["“])|["”]$/gi, ""))),
    ].filter((name) => name !== "" && isWanted(name));
    if (wanted.length > 0) return { value: tidy(wanted.join(", "), MAX_TEXT), source };
  }
  return null;
}

/** By each name of `meta`, in the order of these names. */
function statedAuthors(metas: CopiedPage["metas"]): { names: string[]; source: string }[] {
  const found = NAMES.map((wanted) => ({
    names: metas.filter(({ name }) => name === wanted).map(authorName),
    source: `meta ${wanted}`,
  }));
  // WordPress and others tell services that show a link who has written it.
  for (const { name, content } of metas) {
    const number = /^twitter:label(\d)$/.exec(name)?.[1];
    if (
      number === undefined ||
      !/^(?:written by|author|geschrieben von|verfasst von|écrit par|escrito por)$/i.test(content.trim())
    )
      continue;
    const data = metas.find((meta) => meta.name === `twitter:data${number}`);
    if (data !== undefined) found.push({ names: [authorName(data)], source: `meta twitter:data${number}` });
  }
  return found
    .map(({ names, source }) => ({ names: names.filter((name) => name !== ""), source }))
    .filter(({ names }) => names.length > 0);
}

/**
 * Empty for the address of a profile, the name of an account, and a template. A citation has one author, often with
 * the last name first: "Lee, Ann".
 */
function authorName({ name, content }: CopiedPage["metas"][number]): string {
  const written = tidy(content, MAX_TEXT).replace(/^by\s+/i, "");
  if (/^(?:https?:\/\/|@)/i.test(written) || TEMPLATE.test(written)) return "";
  if (name === "twitter:creator" && !written.includes(" ")) return "";
  return name === "citation_author" ? written.replace(/^([^,]+), *([^,]+)$/, "$2 $1") : written;
}

function isOrganization(value: unknown, things: readonly JsonObject[]): boolean {
  if (!isObject(value)) return false;
  const id = value["@id"];
  const described =
    value["@type"] === undefined && id !== undefined ? (things.find((thing) => thing["@id"] === id) ?? value) : value;
  const types = typesOf(described);
  return types.length > 0 && !types.includes("Person");
}
