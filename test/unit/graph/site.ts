import { ClickDepths } from "../../../src/graph/click-depths.ts";
import { EdgeDecoder, encodeEdges, splitByTarget, type VisitEdges } from "../../../src/graph/edges.ts";
import { isEdgeKind, type LinkedPage, type SiteLink } from "../../../src/graph/linked-page.ts";
import { findIds, JoinedNotes, type NoteParts, PageNotes } from "../../../src/graph/page-notes.ts";
import { MissingPairs, PairSink } from "../../../src/graph/pairs.ts";
import { PAGE_LIMITS, type RowFacts } from "../../../src/graph/problems/find-page-problems.ts";
import { type Finding, orderFindings } from "../../../src/graph/problems/finding.ts";
import { findInPage, findInRow } from "../../../src/graph/problems/findings.ts";
import { type SiteFacts, UrlState } from "../../../src/graph/problems/site-facts.ts";
import { RedirectSources } from "../../../src/graph/redirect-sources.ts";
import type { PageAudit } from "../../../src/media/document.ts";
import { hashId } from "../../../src/media/id-hash.ts";

/** A row of a small site, and its page if it has one. Ids are given by name; the first row is the seed. */
export interface SiteRow extends Partial<Omit<RowFacts, "url">> {
  state?: keyof typeof UrlState;
  httpStatus?: number;
  redirectTo?: string;
  /** Whether a sitemap lists it. Absent in all rows: there is no sitemap. */
  isListed?: boolean;
  page?: Partial<Omit<LinkedPage, "ids" | "audit">> & { ids?: string[] | null; audit?: Partial<PageAudit> };
}

export const ORIGIN = "https://site.test";
export const link = (url: string, more: Partial<SiteLink> = {}): SiteLink => {
  const [path = "", fragment = null] = new URL(url, ORIGIN).href.split("#");
  return { url: path, text: "Words", kind: "a", place: "content", fragment, ...more };
};

/** All findings of a site, by the way of a pass: two readings for the notes, by ranges of two, and a third one. */
export function findAll(rows: Record<string, SiteRow>, externals: Record<string, number> = {}): Finding[] {
  const urls = Object.keys(rows).map((path) => ORIGIN + path);
  const pages = [...Object.values(rows).entries()].flatMap(([node, row]) =>
    row.page === undefined ? [] : [{ node, page: toPage(urls[node] ?? "", row.page) }],
  );
  const known = toFacts(urls, Object.values(rows), pages, externals);
  const sources = new RedirectSources();
  for (const { page } of pages) sources.add(page, known);
  const site = { ...known, redirectSources: new Map(sources.toList()) };
  const halves = [pages.filter(({ node }) => node % 2 === 1), pages.filter(({ node }) => node % 2 === 0)];
  const parts = halves.map((half) => {
    const range = new PageNotes(site);
    for (const { node, page } of half) range.add(node, page);
    return range.toParts();
  });
  const join = (kind: keyof NoteParts) => {
    const joined = new JoinedNotes(kind);
    for (const part of parts) joined.add(part[kind]);
    return joined.finish().pairs;
  };
  const fragments = join("fragments");
  const notes = {
    titles: join("titles"),
    headings: join("headings"),
    descriptions: join("descriptions"),
    canonicals: join("canonicals"),
    alternates: join("alternates"),
  };
  const found = new MissingPairs(fragments);
  for (const half of halves) {
    const sink = new PairSink();
    for (const { node, page } of half) findIds(node, page, fragments, sink);
    found.take(sink.toPairs());
  }
  const missing = found.finish();
  return [
    ...Object.values(rows).flatMap((row, node) => [
      ...findInRow(node, { ...PLAIN, isSeed: node === 0, ...row, url: urls[node] ?? "" }, site, PAGE_LIMITS),
    ]),
    ...pages.flatMap(({ node, page }) => [...findInPage(node, page, site, notes, missing)]),
  ].sort(orderFindings);
}

const PLAIN = {
  detail: null,
  isNoindex: false,
  isRobots: false,
  isInSitemap: false,
  isSoft404: false,
  durationMs: 100,
  bytes: 1_000,
  words: 500,
  shell: null,
};

const SOUND: PageAudit = {
  headings: 1,
  firstHeading: "",
  unlabelled: 0,
  unlabelledExamples: [],
  canonicals: 1,
  resources: [],
  droppedResources: 0,
};

function toPage(url: string, page: NonNullable<SiteRow["page"]>): LinkedPage {
  const named = { title: `Title of ${url}`, description: `About ${url}`, canonical: null, alternates: [], links: [] };
  const { audit, ...rest } = page;
  return {
    ...named,
    ...rest,
    ...(audit && { audit: { ...SOUND, ...audit } }),
    url,
    ids: page.ids === null ? null : (page.ids ?? []).map(hashId),
  };
}

function toFacts(
  urls: string[],
  rows: SiteRow[],
  pages: { node: number; page: LinkedPage }[],
  externals: Record<string, number>,
): SiteFacts {
  const nodes = new Map(urls.map((url, node) => [url, node]));
  const edges = pages.flatMap(({ node, page }) =>
    page.links.flatMap(({ url, kind }) => (isEdgeKind(kind) ? [node, nodes.get(url) ?? node] : [])),
  );
  for (const [node, { redirectTo }] of rows.entries())
    if (redirectTo !== undefined) edges.push(node, nodes.get(ORIGIN + redirectTo) ?? node);
  const states = Uint8Array.from(rows, (row) => UrlState[row.state ?? (row.page === undefined ? "unread" : "page")]);
  const depths = new ClickDepths(states, [0]);
  do visit(encodeEdges(Uint32Array.from(edges)), depths.addLinks);
  while (depths.finishPass());
  const inLinks = new Uint32Array(urls.length);
  for (const run of splitByTarget(Uint32Array.from(edges), 2).values())
    visit(run, (target, sources) => {
      inLinks[target] = sources.length;
    });
  return {
    findNode: (url) => nodes.get(url) ?? null,
    states,
    httpStatuses: Uint16Array.from(rows, ({ httpStatus = 0 }) => httpStatus),
    clicks: depths.clicks,
    inLinks,
    areClicksCounted: true,
    redirectTargets: new Set(rows.flatMap(({ redirectTo }) => nodes.get(ORIGIN + (redirectTo ?? "?")) ?? [])),
    redirectSources: new Map(),
    listed: rows.some(({ isListed }) => isListed)
      ? Uint8Array.from(rows, ({ isListed = false }) => Number(isListed))
      : null,
    redirects: new Map(
      rows.flatMap(({ redirectTo }, i) => (redirectTo === undefined ? [] : [[i, ORIGIN + redirectTo]])),
    ),
    brokenExternals: new Map(
      Object.entries(externals).map(([url, httpStatus]) => [url, { httpStatus, isRedirected: url.endsWith("/moved") }]),
    ),
  };
}

function visit(run: Uint8Array, edges: VisitEdges): void {
  const decoder = new EdgeDecoder(edges);
  decoder.push(run);
  decoder.end();
}
