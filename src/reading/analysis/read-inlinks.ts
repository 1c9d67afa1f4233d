import { unpackJson } from "../../core/formats/gzip-json.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { readPair, writePair } from "../../crawl/list-cursor.ts";
import { redirectTarget } from "../../crawl/page/redirect-target.ts";
import type { InlinkSource, Inlinks } from "../../crawl/report/inlinks.ts";
import { EdgeDecoder } from "../../graph/edges.ts";
import { isEdgeKind } from "../../graph/linked-page.ts";
import { namesOf } from "../../passes/links/same-page-names.ts";
import { NO_MEMBER, UrlIndex } from "../../passes/links/url-index.ts";
import type { ListedRow } from "../../passes/list-rows.ts";
import { type Member, readMembers } from "../../passes/members.ts";
import { openResult, type PassResult } from "../../passes/sectioned-object.ts";
import { readPagesOf } from "../../passes/text/read-pages.ts";
import type { PageStores } from "../../store/mirror/read-mirror.ts";
import type { PassResults } from "../needs.ts";

/**
 * Reads who links to a URL: the sources from the result of the crawl's last pass, and their words from the links that
 * the crawl keeps. For a million URLs, the index is one read of 16 MB.
 */

type InlinksDeps = PassResults & Pick<PageStores, "packs">;

type InlinksAnswer =
  | ({ kind: "found" } & Inlinks)
  /** The crawl has not been analyzed. */
  | { kind: "no-pass" }
  /** The pass did not list the URL. */
  | { kind: "not-listed"; analyzedAt: number }
  /** The cursor is of an earlier pass, or none at all. */
  | { kind: "bad-cursor" };

/** `url`: canonical. `cursor`: of the answer before; empty at first. `limit`: sources of one answer. */
export async function readInlinks(
  { id: crawl }: Pick<Crawl, "id">,
  url: string,
  { cursor, limit }: { cursor: string; limit: number },
  deps: InlinksDeps,
): Promise<InlinksAnswer> {
  const pass = await deps.passes.lastCompleted(crawl);
  if (pass === undefined) return { kind: "no-pass" };
  const [ofPass, after] = cursor === "" ? [pass.id, "-1"] : (readPair(cursor) ?? []);
  if (ofPass !== pass.id || !/^-1$|^\d{1,10}$/.test(after ?? "")) return { kind: "bad-cursor" };
  const result = await openResult(pass, deps.passObjects);
  const index = await openIndex(result);
  const target = index.find(url);
  if (target === null) return { kind: "not-listed", analyzedAt: pass.startedAt };
  const all = await readSources(target, result);
  const first = all.findIndex((node) => node > Number(after));
  const nodes = first === -1 ? [] : [...all.subarray(first, first + limit)];
  const pages = await readLinkingPages(crawl, target, nodes, index, result, deps);
  const others = await readRows(url, new Set(nodes.filter((node) => !pages.has(node))), result);
  const last = nodes.at(-1);
  return {
    kind: "found",
    analyzedAt: pass.startedAt,
    total: all.length,
    sources: nodes.flatMap((node) => pages.get(node) ?? others.get(node) ?? []),
    cursor: last === undefined || last === all.at(-1) ? null : writePair(pass.id, last),
  };
}

/** Results of earlier versions have no names of same pages. */
async function openIndex(result: PassResult): Promise<UrlIndex> {
  const hasNames = result.header.sections["same-pages"] !== undefined;
  return new UrlIndex(await result.bytes("index"), hasNames ? namesOf(await result.bytes("same-pages")) : undefined);
}

/** The nodes that link to the target, in order. A page that all others link to has as many as the crawl has pages. */
async function readSources(target: number, result: PassResult): Promise<Uint32Array> {
  const found: Uint32Array[] = [];
  const decoder = new EdgeDecoder((node, sources) => {
    if (node === target) found.push(sources.slice());
  });
  const bucket = Math.floor(target / result.header.nodesPerBucket);
  for await (const chunk of await result.stream(`in-links-${bucket}`)) decoder.push(chunk);
  decoder.end();
  const all = new Uint32Array(found.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const sources of found) {
    all.set(sources, at);
    at += sources.length;
  }
  // A row is listed once, so no source is in two runs but a redirect with links, which counts once.
  return all.sort().filter((node, i, sorted) => node !== sorted[i - 1]);
}

/** The sources among `nodes` whose links the pass read, without those whose pack is gone since. */
async function readLinkingPages(
  crawl: string,
  target: number,
  nodes: readonly number[],
  index: UrlIndex,
  result: PassResult,
  deps: InlinksDeps,
): Promise<Map<number, InlinkSource>> {
  const wanted = new Set(nodes);
  const numbers = [...new Set(nodes.map((node) => index.memberOf(node)))].filter((number) => number !== NO_MEMBER);
  const members = await openMembers(numbers, result);
  const pages = new Map<number, InlinkSource>();
  for await (const { node, page } of readPagesOf(numbers, members, index, deps, { crawl }, "leave out")) {
    if (!wanted.has(node)) continue;
    const links = page.links.filter((link) => isEdgeKind(link.kind) && index.find(link.url) === target);
    if (links.length > 0) pages.set(node, { url: page.url, title: page.title, isRedirect: false, links });
  }
  return pages;
}

/** Results of earlier versions have all members in one section. */
async function openMembers(numbers: readonly number[], result: PassResult): Promise<ReadonlyMap<number, Member>> {
  if (numbers.length === 0) return new Map();
  if (result.header.sections["members"] === undefined)
    return readMembers(numbers, (block) => result.bytes(`members-${block}`));
  const all = unpackJson<Member[]>(await result.bytes("members"));
  return new Map(numbers.map((number) => [number, all[number] as Member]));
}

/** Sources by their rows, a range in memory at a time: redirects, and pages whose links are no longer stored. */
async function readRows(
  url: string,
  nodes: ReadonlySet<number>,
  result: PassResult,
): Promise<Map<number, InlinkSource>> {
  const { rowsPerRange } = result.header;
  const sources = new Map<number, InlinkSource>();
  for (const range of new Set([...nodes].map((node) => Math.floor(node / rowsPerRange)))) {
    const rows = unpackJson<ListedRow[]>(await result.bytes(`rows-${range}`));
    for (const [at, row] of rows.entries()) {
      const node = range * rowsPerRange + at;
      if (!nodes.has(node)) continue;
      const isRedirect = redirectTarget({ reason: row.reason as never, detail: row.detail }) === url;
      sources.set(node, { url: row.url, title: row.title, isRedirect, links: [] });
    }
  }
  return sources;
}
