import { compareText } from "../../core/compare-text.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { mergeByUrl } from "../../crawl/shards/merge-by-url.ts";
import { ledgerOfUrl, partIn, type Shards } from "../../crawl/shards/shards.ts";
import type { PassRow } from "../../crawl/url-facts.ts";
import { MAX_CRAWL_MARKS } from "../../store/learned/marks.ts";
import type { Store } from "../../store/store.ts";
import type { Deps } from "../deps.ts";
import { atLedger, homeOf, type LedgersDeps } from "../ledgers.ts";
import { readWhole } from "./whole-crawl.ts";

/**
 * The stores of a crawl over several ledgers as if it were in one, for what reads all of it: passes and archives. Their
 * methods take the id of the home. What belongs to a URL is read and written in the part that has it, and lists are
 * merged in the order of URLs. The name of a pack begins with the number of its ledger.
 */

export interface PartedStores {
  /** A crawl comes with the counters of all parts; the list is that of the home's ledger. */
  ledger: Pick<Store["ledger"], "crawl" | "crawls">;
  passRows: Pick<Store["passRows"], "rows" | "sitemaps" | "sitemapLists" | "writeFigures">;
  packs: Pick<Store["packs"], "read" | "stream">;
  records: Pick<Store["records"], "packed" | "packedAs" | "allPacked" | "get" | "among">;
  mirror: Pick<Store["mirror"], "read" | "content">;
  samePages: { read(crawl: string, hosts: readonly string[]): ReturnType<Store["samePages"]["read"]> };
  reindexing: Pick<Store["reindexing"], "read">;
  marks: Pick<Store["marks"], "list" | "put" | "remove">;
  labels: Pick<Store["labels"], "completedPages" | "write">;
  crawlTemplates: { open(crawl: Crawl): Promise<OpenedTemplate | null> };
  archiveIndex: Pick<Store["archiveIndex"], "packs" | "count" | "records" | "texts">;
}

type OpenedTemplate = Pick<NonNullable<Awaited<ReturnType<Store["crawlTemplates"]["open"]>>>, "of">;

export type PartedDeps = LedgersDeps & Pick<Deps, keyof PartedStores | "shardParts">;

/** The stores of any crawl. */
export function storesOf<D extends PartedDeps>(
  { shards }: Pick<Crawl, "shards">,
  deps: D,
): Omit<D, keyof PartedStores> & PartedStores {
  return shards === null ? deps : { ...deps, ...overParts(shards, deps) };
}

interface Part {
  ledger: number;
  id: string;
  deps: PartedDeps;
}

class Parts {
  readonly all: readonly Part[];
  readonly #shards: Shards;

  constructor(shards: Shards, deps: PartedDeps) {
    this.#shards = shards;
    this.all = shards.ledgers.map((ledger) => ({
      ledger,
      id: partIn(ledger, shards.home),
      deps: atLedger(deps, ledger),
    }));
  }

  /** The part that has a URL. */
  of(url: string): Part {
    return this.#in(ledgerOfUrl(url, this.#shards));
  }

  /** What belongs to each part, by URL. */
  divide<T>(all: readonly T[], urlOf: (one: T) => string): { part: Part; own: T[] }[] {
    const byLedger = Map.groupBy(all, (one) => ledgerOfUrl(urlOf(one), this.#shards));
    return [...byLedger].map(([ledger, own]) => ({ part: this.#in(ledger), own }));
  }

  #in(ledger: number): Part {
    return this.all.find((part) => part.ledger === ledger) as Part;
  }
}

function overParts(shards: Shards, deps: PartedDeps): PartedStores {
  const parts = new Parts(shards, deps);
  const packOf = (name: string) => {
    const end = name.indexOf(":");
    return { part: partIn(Number(name.slice(0, end)), shards.home), name: name.slice(end + 1) };
  };
  return {
    ledger: {
      async crawl(id) {
        const home = await homeOf(deps, id).ledger.crawl(id);
        return home === null ? null : readWhole(home, deps);
      },
      crawls: (...page) => deps.ledger.crawls(...page),
    },
    passRows: partedRows(parts),
    packs: {
      read: (_, given, offset, length) => {
        const { part, name } = packOf(given);
        return deps.packs.read(part, name, offset, length);
      },
      stream: (_, given, offset, length) => {
        const { part, name } = packOf(given);
        return deps.packs.stream(part, name, offset, length);
      },
    },
    records: {
      packed: async (_, url) => {
        const part = parts.of(url);
        return named(part, await part.deps.records.packed(part.id, url));
      },
      async allPacked(_, urls) {
        const found = parts
          .divide(urls, (url) => url)
          .map(async ({ part, own }) => {
            const places = await part.deps.records.allPacked(part.id, own);
            return [...places].flatMap(([url, row]) => {
              const place = named(part, row);
              return place === null ? [] : [[url, place] as const];
            });
          });
        return new Map((await Promise.all(found)).flat());
      },
      packedAs: async (_, url, sha256) => {
        const part = parts.of(url);
        return named(part, await part.deps.records.packedAs(part.id, url, sha256));
      },
      get: (_, url) => {
        const part = parts.of(url);
        return part.deps.records.get(part.id, url);
      },
      async among(_, urls) {
        const found = parts.divide(urls, (url) => url).map(({ part, own }) => part.deps.records.among(part.id, own));
        return (await Promise.all(found)).flat();
      },
    },
    mirror: {
      read: (_, url) => deps.mirror.read(parts.of(url).id, url),
      content: (_, url, sha256) => deps.mirror.content(parts.of(url).id, url, sha256),
    },
    samePages: {
      async read(_, hosts) {
        const known = parts
          .divide(hosts, (host) => `https://${host}/`)
          .map(({ part, own }) => part.deps.samePages.read(part.id, own));
        return new Map((await Promise.all(known)).flatMap((each) => [...each]));
      },
    },
    reindexing: { read: (_, after, most, bytes) => readTexts(parts.all, after, most, bytes) },
    crawlTemplates: {
      async open() {
        const opened = parts.all.map(async ({ ledger, id, deps: at }) => {
          const part = await at.ledger.crawl(id);
          return [ledger, part === null ? null : await at.crawlTemplates.open(part)] as const;
        });
        const byLedger = new Map(await Promise.all(opened));
        const hasAny = [...byLedger.values()].some((template) => template !== null);
        return hasAny ? { of: (url) => byLedger.get(parts.of(url).ledger)?.of(url) ?? null } : null;
      },
    },
    marks: partedMarks(parts),
    labels: partedLabels(parts),
    archiveIndex: partedIndex(parts.all),
  };
}

/** The names of packs are unique in a part alone. */
function named<Row extends { pack: string } | null>({ ledger }: Pick<Part, "ledger">, row: Row): Row {
  return row === null ? row : { ...row, pack: nameOf(ledger, row.pack) };
}

function nameOf(ledger: number, pack: string): string {
  return `${ledger}:${pack}`;
}

function partedRows(parts: Parts): PartedStores["passRows"] {
  // Who reads on after the last row that it was given goes on in the same queries.
  let walk: { after: string; rows: AsyncGenerator<PassRow> } | null = null;
  return {
    async rows(_, after, most) {
      if (walk?.after !== after) {
        const share = Math.max(1, Math.ceil(most / parts.all.length));
        walk = { after, rows: mergeByUrl(parts.all.map((part) => walkRows(part, after, share))) };
      }
      const found: PassRow[] = [];
      while (found.length < most) {
        const { value, done } = await walk.rows.next();
        if (done) break;
        found.push(value);
      }
      walk.after = found.at(-1)?.url ?? after;
      return found;
    },
    sitemaps: async () =>
      (await Promise.all(parts.all.map(({ id, deps }) => deps.passRows.sitemaps(id)))).flat().sort(compareText),
    async sitemapLists() {
      const lists = parts.all.map(async ({ ledger, id, deps }) =>
        (await deps.passRows.sitemapLists(id)).map((list) => ({
          ...list,
          pack: list.pack === null ? null : nameOf(ledger, list.pack),
        })),
      );
      return (await Promise.all(lists)).flat().sort((a, b) => compareText(a.url, b.url));
    },
    async writeFigures(_, rows) {
      for (const { part, own } of parts.divide(rows, ({ url }) => url))
        await part.deps.passRows.writeFigures(part.id, own);
    },
  };
}

function partedMarks(parts: Parts): PartedStores["marks"] {
  const list = async () =>
    (await Promise.all(parts.all.map(({ id, deps }) => deps.marks.list(id))))
      .flat()
      .sort((a, b) => compareText(a.url, b.url));
  return {
    list,
    async put(_, urls, label, now) {
      if ((await list()).length + urls.length > MAX_CRAWL_MARKS) return { missing: [], isFull: true };
      const divided = parts.divide(urls, (url) => url);
      const put = await Promise.all(divided.map(({ part, own }) => part.deps.marks.put(part.id, own, label, now)));
      const missing = new Set(put.flatMap((each) => each.missing));
      return { missing: urls.filter((url) => missing.has(url)), isFull: false };
    },
    async remove(_, urls) {
      const divided = parts.divide(urls, (url) => url);
      await Promise.all(divided.map(({ part, own }) => part.deps.marks.remove(part.id, own)));
    },
  };
}

function partedLabels(parts: Parts): PartedStores["labels"] {
  return {
    async completedPages(_, urls) {
      const divided = parts.divide(urls, (url) => url);
      const found = await Promise.all(divided.map(({ part, own }) => part.deps.labels.completedPages(part.id, own)));
      return new Set(found.flatMap((each) => [...each]));
    },
    async write(_, rows) {
      for (const { part, own } of parts.divide(rows, ({ url }) => url)) await part.deps.labels.write(part.id, own);
    },
  };
}

async function* walkRows({ ledger, id, deps }: Part, from: string, most: number): AsyncGenerator<PassRow> {
  for (let after = from; ; ) {
    const rows = await deps.passRows.rows(id, after, most);
    for (const row of rows) yield row.linksPack === null ? row : { ...row, linksPack: nameOf(ledger, row.linksPack) };
    if (rows.length < most) return;
    after = rows.at(-1)?.url ?? after;
  }
}

/** Up to the last text that each part has given: behind it a part may have another one that comes first. */
async function readTexts(
  parts: readonly Part[],
  after: string,
  most: number,
  bytes: number,
): ReturnType<PartedStores["reindexing"]["read"]> {
  const share = Math.ceil(bytes / parts.length);
  const lists = await Promise.all(parts.map(({ id, deps }) => deps.reindexing.read(id, after, most, share)));
  const lasts = lists.flatMap((list) => list.at(-1)?.url ?? []);
  const end = lasts.reduce<string | null>((least, last) => (least === null || last < least ? last : least), null);
  const texts = lists.flat().filter(({ url }) => end !== null && url <= end);
  return texts.sort((a, b) => compareText(a.url, b.url)).slice(0, most);
}

function partedIndex(parts: readonly Part[]): PartedStores["archiveIndex"] {
  return {
    /** Part after part. */
    async packs(_, cursor = "", most = -1) {
      const [from, after] = cursor === "" ? [null, ""] : [Number(cursor.split(":")[0]), cursor.split(":")[1] ?? ""];
      const first = from === null ? 0 : parts.findIndex(({ ledger }) => ledger === from);
      const found: Awaited<ReturnType<Store["archiveIndex"]["packs"]>> = [];
      for (const { ledger, id, deps } of parts.slice(Math.max(0, first))) {
        const room = most < 0 ? most : most - found.length;
        if (room === 0) break;
        const packs = await deps.archiveIndex.packs(id, ledger === from ? after : "", room);
        found.push(...packs.map((pack) => ({ ...pack, name: nameOf(ledger, pack.name) })));
      }
      return found;
    },
    async count() {
      const counts = await Promise.all(parts.map(({ id, deps }) => deps.archiveIndex.count(id)));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    async *records() {
      for (const part of parts)
        for await (const record of part.deps.archiveIndex.records(part.id)) yield named(part, record);
    },
    async texts(_, most) {
      const share = Math.ceil(most / parts.length);
      const texts = await Promise.all(parts.map(({ id, deps }) => deps.archiveIndex.texts(id, share)));
      return new Map(texts.flatMap((each) => [...each]));
    },
  };
}
