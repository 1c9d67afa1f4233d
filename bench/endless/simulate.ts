import { GroupCounts } from "../../src/frontier/features/endless-groups/group-counts.ts";
import type { Document } from "../../src/media/document.ts";
import { readHtml } from "../../src/media/html/tree/read-html.ts";
import {
  EMPTY_ENDLESS,
  endlessKey,
  type HostEndless,
  isHot,
  isInside,
  isJudged,
  isSample,
  isSlowed,
  type JudgedPage,
  learnPages,
  quickenedGroups,
} from "../../src/scope/endless-groups.ts";
import { KnownWords } from "../../src/scope/known-words.ts";
import { type PageSayings, sayingsOf } from "../../src/scope/page-sayings.ts";
import { variantPattern } from "../../src/scope/traps.ts";
import { groupsOf } from "../../src/scope/url-groups.ts";
import type { Site } from "./page.ts";

/**
 * Crawls a site in memory by the real reader and rules, in the order of a crawl: batches of 25, pages of growing
 * patterns behind all others.
 */

export interface Simulated {
  fetched: number;
  /** Pages that were requested again. */
  looks: number;
  /** Fetched pages that are not honest. */
  trap: number;
  /** Honest pages that were never fetched. */
  lost: number;
  /** Honest pages that had been held back for a while. */
  late: number;
  slowed: string[];
}

const ORIGIN = "https://site.test";
const BATCH = 25;
const MAX_LISTED = 10_000;

interface Found {
  url: string;
  via: string | null;
  isGrowing: boolean;
}

export async function simulate(site: Site, limit: number, isOn = true): Promise<Simulated> {
  const counts = new GroupCounts();
  let host: HostEndless = EMPTY_ENDLESS;
  const known = new Set([`${ORIGIN}/`]);
  const queue: Found[] = [{ url: `${ORIGIN}/`, via: null, isGrowing: false }];
  const growing: Found[] = [];
  const held = new Map<string, Found[]>();
  const wasHeld = new Set<string>();
  const fetched = new Set<string>();
  let words = KnownWords.from("");
  let looks = 0;
  const groupOf = (url: string) => counts.groupOf("c", url, host);
  const holds = ({ url, via }: Found): string | null => {
    if (!isOn || via === null) return null;
    const group = counts.groupOf("c", url, host);
    if (group === null || !isSlowed(host, group) || !isInside(host, words, group, via, groupOf)) return null;
    return isSample("c", url, held.get(group)?.length ?? 0, MAX_LISTED) ? null : group;
  };
  const hold = (found: Found, group: string): void => {
    const list = held.get(group) ?? [];
    list.push(found);
    held.set(group, list);
    wasHeld.add(found.url);
  };
  const add = (found: Found): void => {
    (found.isGrowing ? growing : queue).push(found);
  };
  while (fetched.size < limit && queue.length + growing.length > 0) {
    const batch = queue.splice(0, BATCH);
    if (batch.length === 0) batch.push(...growing.splice(0, BATCH));
    const judged: JudgedPage[] = [];
    const links: Found[] = [];
    for (const work of batch) {
      const over = holds(work);
      if (over !== null) {
        hold(work, over);
        continue;
      }
      const { url, via } = work;
      const html = site.page(url.slice(ORIGIN.length));
      fetched.add(url);
      if (html === null) continue;
      const watched = counts.groupOf("c", url, host);
      const group = watched ?? groupsOf(url).at(-1) ?? "";
      const isRead = isOn && via !== null && (watched !== null || isHot(host)) && isJudged(host, group, url);
      const { document, found } = await read(url, html, isRead);
      if (isRead) {
        const isInside = (to: string) => groupOf(to) === group;
        const page = { group, says: saysOf(url, document, found, isInside) };
        const look = async (asked: string) => {
          looks += 1;
          const again = site.page(asked.slice(ORIGIN.length));
          if (again === null) return "gone";
          const second = await read(asked, again, true);
          return saysOf(asked, second.document, second.found, isInside);
        };
        judged.push({ ...page, noise: await counts.looks.findNoise("c", url, page, host, words, look) });
      }
      counts.countPage("c", url);
      const pattern = variantPattern(url);
      for (const to of found)
        links.push({ url: to, via: url, isGrowing: pattern !== null && variantPattern(to) === pattern });
    }
    const before = host;
    if (judged.length > 0) host = learnPages(host, judged);
    if (host !== before) words = KnownWords.from(host.known);
    for (const found of links) {
      if (known.has(found.url)) continue;
      const over = holds(found);
      if (over !== null) {
        if (!wasHeld.has(found.url)) hold(found, over);
        continue;
      }
      known.add(found.url);
      add(found);
    }
    for (const group of quickenedGroups(before, host)) {
      for (const found of held.get(group) ?? []) {
        if (fetched.has(found.url)) continue;
        known.add(found.url);
        add(found);
      }
      held.delete(group);
    }
  }
  const honest = new Set(site.honest.map((path) => ORIGIN + path));
  const isHonest = (url: string) => honest.has(url) || url === `${ORIGIN}/` || (!site.isTrap && fetched.has(url));
  return {
    fetched: fetched.size,
    looks,
    trap: [...fetched].filter((url) => !isHonest(url)).length,
    lost: [...honest].filter((url) => !fetched.has(url)).length,
    late: [...honest].filter((url) => wasHeld.has(url)).length,
    slowed: Object.keys(host.groups)
      .filter((group) => isSlowed(host, group))
      .map(endlessKey),
  };
}

async function read(url: string, html: string, isRead: boolean) {
  const source = { url, contentType: "text/html; charset=utf-8", headers: [] };
  const document = await readHtml(new TextEncoder().encode(html), source, {
    agent: "orbweaver",
    scriptLinks: false,
    requisites: isRead,
    formats: isRead ? ["text"] : null,
    pageText: isRead,
    obeyNoindex: true,
  });
  return { document, found: document.links.map((link) => link.url).filter((to) => to.startsWith(ORIGIN)) };
}

function saysOf(
  url: string,
  { title, pageText = "", requisites }: Document,
  links: string[],
  isInside: (to: string) => boolean,
): PageSayings {
  return sayingsOf({ url, title, text: pageText, links, pictures: requisites }, isInside);
}
