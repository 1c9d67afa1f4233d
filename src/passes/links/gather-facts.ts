import { packJson } from "../../core/formats/gzip-json.ts";
import { consequencesOf } from "../../crawl/page/reason.ts";
import { redirectTarget } from "../../crawl/page/redirect-target.ts";
import { ClickDepths } from "../../graph/click-depths.ts";
import { EdgeDecoder } from "../../graph/edges.ts";
import { PairSink } from "../../graph/pairs.ts";
import { limitsOf, type PageLimits } from "../../graph/problems/find-page-problems.ts";
import { type SiteFacts, UrlState } from "../../graph/problems/site-facts.ts";
import { RedirectList, RedirectListSink, SortedNodes } from "../../graph/redirect-list.ts";
import { packArrays, toUint16s, toUint32s, unpackArrays } from "../array-object.ts";
import { type Listed, type ListedRow, readRows } from "../list-rows.ts";
import type { PassDeps, PassOrder, PassRun } from "../pass-run.ts";
import { CPU_MS_PER_VISIT, VISITS_PER_STEP } from "./rank-pages.ts";
import type { LinkRuns } from "./read-links.ts";
import { openIndex } from "./read-links.ts";
import { readListed } from "./read-listed.ts";
import { countBuckets } from "./turn-links.ts";
import { type Unjudged, unjudgedBy } from "./unjudged.ts";
import { NO_MEMBER, type UrlIndex } from "./url-index.ts";

/** Gathers the facts of all URLs that findings need: object `site` in arrays by node, and `redirect-list`. */

/** Redirects that are followed: some 20 MB. Those beyond have no state. */
const MAX_REDIRECTS = 200_000;
/** Stored copies of pages that are told: 8 bytes each. */
const MAX_COPIES = 1_000_000;
/** Readings of all edges. After so many, the clicks of deeper pages may be too high. */
const MAX_ROUNDS = 64;
const CPU_MS_PER_ROW = 0.01;

export interface SiteCounts {
  /** HTML pages whose links were read. */
  pages: number;
  /** Redirects that are not followed. */
  leftOutRedirects: number;
  /** Absent in what an earlier version gathered. */
  unjudged?: Unjudged;
  /** Likewise: what is slow and large on this site. */
  limits?: PageLimits;
}

type Bytes = Uint8Array<ArrayBuffer>;

export async function gatherFacts(run: PassRun, listed: Listed, links: LinkRuns): Promise<SiteCounts> {
  const counts = await run.step("facts", "Gathering the facts of URLs", (deps, order) =>
    readFacts(listed, deps, order),
  );
  await readListed(run, listed);
  const rounds = Math.max(1, Math.floor(VISITS_PER_STEP / Math.max(1, listed.rows + links.edges)));
  for (let done = 0, isDone = false; !isDone; done += rounds)
    isDone = await run.step(`clicks ${done}`, "Counting the clicks", (deps, order) =>
      countClicks(done, Math.min(done + rounds, MAX_ROUNDS), listed, links, deps, order),
    );
  return counts;
}

async function readFacts({ ranges, rows }: Listed, deps: PassDeps, order: PassOrder): Promise<SiteCounts> {
  const { passObjects, meter } = deps;
  const index = await openIndex(deps, order);
  const states = new Uint8Array(rows);
  const httpStatuses = new Uint16Array(rows);
  const seedNodes = new Uint32Array(rows);
  const [durations, sizes] = [new Uint32Array(rows), new Uint32Array(rows)];
  const redirects = new RedirectListSink();
  const copies = new PairSink();
  const unjudged: Partial<Record<string, number>> = {};
  let [node, seeds, pages, leftOutRedirects] = [0, 0, 0, 0];
  for await (const row of readRows(ranges, deps, order)) {
    const target = row.reason === "redirect-loop" ? row.url : redirectTarget(row);
    let state = stateOf(row, index.memberOf(node) !== NO_MEMBER);
    if (state === UrlState.redirect) {
      if (target !== null && redirects.count < MAX_REDIRECTS) redirects.add(node, target);
      else {
        state = UrlState.unread;
        leftOutRedirects += 1;
      }
    }
    if (state === UrlState.page) {
      durations[pages] = row.durationMs ?? 0;
      sizes[pages] = row.bytes ?? 0;
      pages += 1;
    }
    const why = state === UrlState.unread ? unjudgedBy(row) : null;
    if (why !== null) unjudged[why] = (unjudged[why] ?? 0) + 1;
    if (row.via === null) seedNodes[seeds++] = node;
    states[node] = state;
    const same = row.status === "completed" ? index.findSame(row.url) : null;
    if (same !== null && same !== node && copies.count < MAX_COPIES) copies.add(node, same);
    httpStatuses[node] = row.httpStatus ?? 0;
    node += 1;
  }
  await passObjects.put(order, "redirect-list", packArrays([...redirects.toArrays(), targetsOf(redirects, index)]));
  await passObjects.put(order, "sitemaps", packJson(await deps.passRows.sitemaps(order.crawl)));
  await passObjects.put(
    order,
    "facts",
    packArrays([states, httpStatuses, seedNodes.subarray(0, seeds), copies.toPairs()]),
  );
  meter.add({ cpuMs: rows * CPU_MS_PER_ROW });
  const limits = limitsOf(durations.subarray(0, pages), sizes.subarray(0, pages));
  return { pages, leftOutRedirects, unjudged, limits };
}

/** The nodes that redirects lead to, sorted. */
function targetsOf(redirects: RedirectListSink, index: UrlIndex): Uint32Array {
  const targets = new Set<number>();
  for (const url of new RedirectList(...redirects.toArrays()).values()) {
    const node = index.find(url);
    if (node !== null) targets.add(node);
  }
  return Uint32Array.from(targets).sort();
}

function stateOf({ status, reason, contentType }: ListedRow, hasLinks: boolean): UrlState {
  if (status === "completed") return hasLinks && isHtml(contentType) ? UrlState.page : UrlState.document;
  if (reason === "noindex") return UrlState.noindex;
  return UrlState[consequencesOf(reason).target ?? "unread"];
}

export function isHtml(contentType: string | null): boolean {
  return /^(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(contentType ?? "");
}

/** Goes on from `clicks-FROM`, or begins. Returns whether it is done: then `site` has all facts. */
async function countClicks(
  from: number,
  to: number,
  listed: Listed,
  { runs, edges }: LinkRuns,
  deps: PassDeps,
  order: PassOrder,
): Promise<boolean> {
  const { passObjects, meter } = deps;
  const facts = unpackArrays(await passObjects.bytes(order, "facts"));
  const [states, httpStatuses, seeds, copies] = facts as [Bytes, Bytes, Bytes, Bytes];
  const before = from === 0 ? undefined : toUint16s(await passObjects.bytes(order, `clicks-${from}`));
  const depths = new ClickDepths(states, toUint32s(seeds), before);
  let isDone = false;
  for (let round = from; round < to && !isDone; round++) {
    const decoder = new EdgeDecoder(depths.addLinks);
    for (let number = 0; number < runs; number++)
      for await (const chunk of (await passObjects.get(order, `edges-${number}`)).body) decoder.push(chunk);
    decoder.end();
    isDone = !depths.finishPass();
    meter.add({ cpuMs: (listed.rows + edges) * CPU_MS_PER_VISIT });
  }
  if (!isDone && to < MAX_ROUNDS) {
    await passObjects.put(order, `clicks-${to}`, new Uint8Array(depths.clicks.buffer));
    return false;
  }
  const inLinks = new Uint8Array(listed.rows * Uint32Array.BYTES_PER_ELEMENT);
  for (let bucket = 0, at = 0; bucket < countBuckets(listed); bucket++) {
    const counts = await passObjects.bytes(order, `in-counts-${bucket}`);
    inLinks.set(counts, at);
    at += counts.length;
  }
  addCopies(toUint32s(copies), depths.clicks, toUint32s(inLinks));
  // Without an end of the count, pages without clicks may be reached all the same.
  const isCounted = Uint8Array.of(isDone ? 1 : 0);
  await passObjects.put(order, "site", packArrays([states, httpStatuses, depths.clicks, inLinks, isCounted]));
  return true;
}

/** Links to a stored copy of a page are links to the page. `copies`: node of the copy and of the page, in turn. */
function addCopies(copies: Uint32Array, clicks: Uint16Array, inLinks: Uint32Array): void {
  for (let at = 0; at < copies.length; at += 2) {
    const [copy, page] = [copies[at] as number, copies[at + 1] as number];
    inLinks[page] = (inLinks[page] as number) + (inLinks[copy] as number);
    clicks[page] = Math.min(clicks[page] as number, clicks[copy] as number);
  }
}

/** What steps after `gatherFacts` know of the site. */
interface OpenSite {
  index: UrlIndex;
  site: SiteFacts;
}

/** Some 25 bytes a URL, and 100 bytes a redirect. */
export async function openSite(deps: PassDeps, order: PassOrder): Promise<OpenSite> {
  const { passObjects } = deps;
  const index = await openIndex(deps, order);
  const arrays = unpackArrays(await passObjects.bytes(order, "site"));
  const [states, httpStatuses, clicks, inLinks, isCounted] = arrays as [Bytes, Bytes, Bytes, Bytes, Bytes];
  const [nodes, ends, urls, targets] = unpackArrays(await passObjects.bytes(order, "redirect-list"));
  const [from, to, leadTo] = [nodes, ends, targets].map((array) => toUint32s(array as Bytes));
  const listed = await passObjects.bytes(order, "listed");
  return {
    index,
    site: {
      findNode: (url) => index.find(url),
      states,
      httpStatuses: toUint16s(httpStatuses),
      clicks: toUint16s(clicks),
      inLinks: toUint32s(inLinks),
      areClicksCounted: isCounted[0] === 1,
      redirects: new RedirectList(from as Uint32Array, to as Uint32Array, urls as Bytes),
      redirectTargets: new SortedNodes(leadTo as Uint32Array),
      redirectSources: new Map(),
      listed: listed.length === 0 ? null : listed,
      brokenExternals: new Map(),
    },
  };
}
