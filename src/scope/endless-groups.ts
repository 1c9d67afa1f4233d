/** Learns which groups of a host's URLs say nothing new any more, page by page. */

import { fingerprintOf, KnownWords } from "./known-words.ts";
import type { Shape, Shaped } from "./number-shapes.ts";
import { muteOf, type PageSayings, type Said, type SaidAddress } from "./page-sayings.ts";
import { groupsOf } from "./url-groups.ts";

/** What a crawl has learned of a host. Stored as JSON, at most some 150 kB. */
export interface HostEndless {
  /** By the glob of the group. */
  readonly groups: Readonly<Record<string, EndlessGroup>>;
  /** `KnownWords`. */
  readonly known: string;
}

export interface EndlessGroup {
  /** Pages that were judged. */
  readonly pages: number;
  /** How many of them said something new. */
  readonly news: number;
  /** The last of them in a row that said nothing new, and how many of these led to something new. */
  readonly quiet: number;
  readonly leads: number;
  readonly isSlowed: boolean;
  /** How many of them listed pages of another group. */
  readonly lists: number;
  /** Its links and its lines with numbers, by fingerprint: on how many of the pages. Those on most are its frame. */
  readonly counts: Readonly<Record<number, number>>;
  /** Shapes whose numbers change from visit to visit; absent if none are known. */
  readonly noise?: readonly number[];
}

/** What one page of a group says. `noise`: the shapes that another look at a page of the group found changed. */
export interface JudgedPage {
  group: string;
  says: PageSayings;
  noise?: readonly number[];
}

export const EMPTY_ENDLESS: HostEndless = { groups: {}, known: "" };
const EMPTY_GROUP: EndlessGroup = { pages: 0, news: 0, quiet: 0, leads: 0, isSlowed: false, lists: 0, counts: {} };

/** So many pages in a row that say nothing new slow their group. */
export const QUIET_PAGES = 200;
/**
 * So many of them may lead to something new. The days of a calendar say nothing, and one in 28 is the first to name
 * another month.
 */
const MAX_LEADS = 20;
/** From so many on, all pages of the host are judged: one that says nothing does not vouch for what it leads to. */
const HOT_FROM = 100;
/** Links to a group with so many quiet pages in a row are no news. */
const DULL_FROM = 10;
/** A group of so many pages of which most are new is judged by one in ten. */
const RICH_FROM = 150;
const RICH_SHARE = 0.9;
const RICH_EVERY = 10;
/** One in so many URLs of a slowed group is fetched. */
const SAMPLE_EVERY = 50;
/**
 * Of the URLs beyond those that are listed for a group, one in so many. A page of a trap may have more than 50 links
 * into it: without this, samples would lead to ever more samples.
 */
const LATE_SAMPLE_EVERY = 1_000;
const MAX_GROUPS = 60;
const MAX_COUNTS = 300;
const MAX_NOISE = 40;
/** So many links to pages of one other group make a list, without those of the frame. */
const MIN_LISTED = 5;
/** And so many to pages of its own group, such as the filters beside a list. */
const MIN_FILTERS = 20;
/** A line of so many words says something, even if each word is known. */
const LONG_LINE = 10;

/** The key under which URLs of a group are held back. */
export function endlessKey(group: string): string {
  return `nothing-new ${group}`;
}

/** Null for the key of another rule. */
export function groupOfKey(rule: string): string | null {
  return rule.startsWith("nothing-new ") ? rule.slice("nothing-new ".length) : null;
}

export function isSlowed(host: HostEndless, group: string): boolean {
  return Object.hasOwn(host.groups, group) && host.groups[group]?.isSlowed === true;
}

/** The narrowest of the URL's groups of which something is known. */
export function knownGroupOf(host: HostEndless, url: string): string | null {
  return groupsOf(url).find((group) => isKnownGroup(host, group)) ?? null;
}

/** Whether something is known of the group. */
export function isKnownGroup(host: HostEndless, group: string): boolean {
  return Object.hasOwn(host.groups, group);
}

/** Whether the URL of a slowed group is fetched. `held`: how many of the group were held back before. */
export function isSample(crawl: string, url: string, held: number, maxListed: number): boolean {
  const every = held < maxListed ? SAMPLE_EVERY : LATE_SAMPLE_EVERY;
  return fingerprintOf(`sample ${crawl} ${url}`) % every === 0;
}

/** The groups that were slowed before a lesson, and are not after it. */
export function quickenedGroups(before: HostEndless, after: HostEndless): string[] {
  return Object.keys(before.groups).filter((group) => isSlowed(before, group) && !isSlowed(after, group));
}

/** Whether any group of the host has fallen so quiet that all of its pages are judged. */
export function isHot({ groups }: HostEndless): boolean {
  return Object.values(groups).some(({ quiet, isSlowed }) => isSlowed || quiet >= HOT_FROM);
}

/** Whether a page of the group is judged. Of a group that has always had news, one in ten is. */
export function isJudged(host: HostEndless, group: string, url: string): boolean {
  const facts = Object.hasOwn(host.groups, group) ? host.groups[group] : undefined;
  return facts === undefined || weightOf(facts) === 1 || fingerprintOf(`judged ${url}`) % RICH_EVERY === 0;
}

/** The pages for which one that is judged stands. */
function weightOf({ pages, news }: EndlessGroup): number {
  return pages >= RICH_FROM && news >= RICH_SHARE * pages ? RICH_EVERY : 1;
}

/**
 * Whether no page vouches for a URL of the group that was found on this page: it is of the group itself, or of another
 * slowed one, or was judged and said nothing. `groupOf`: the group by which a URL is judged.
 */
export function isInside(
  host: HostEndless,
  known: KnownWords,
  group: string,
  via: string,
  groupOf: (url: string) => string | null,
): boolean {
  const from = groupOf(via);
  return from === group || (from !== null && isSlowed(host, from)) || known.has(muteOf(via));
}

/** The host with what these pages say, in order. A page that was counted before counts no second time. */
export function learnPages(host: HostEndless, pages: readonly JudgedPage[]): HostEndless {
  const known = KnownWords.from(host.known);
  const groups = new Map(Object.entries(host.groups));
  let hasLearned = false;
  for (const { group, says: all, noise = [] } of pages) {
    const before = withNoise(groups.get(group) ?? EMPTY_GROUP, noise);
    if (noise.length > 0 && groups.has(group)) {
      hasLearned = true;
      groups.set(group, before);
    }
    if (known.has(all.page)) continue;
    hasLearned = true;
    known.add(all.page);
    const says = withoutNoise(all, before);
    const { lists, facts, saysNew, saysNothing, leadsOn } = weigh(says, before, groups, known);
    if (saysNothing) known.add(says.mute);
    remember(says, known);
    if (facts !== null) known.add(facts);
    groups.set(group, { ...judge(before, saysNew, leadsOn), lists, counts: countIn(before, says) });
    if (groups.size > MAX_GROUPS) dropOne(groups, group);
  }
  return hasLearned ? { groups: Object.fromEntries(groups), known: known.toString() } : host;
}

/** Whether the page is news, but for its numbers would be none. Another look tells whether they are its own. */
export function isNewsByNumbers(host: HostEndless, known: KnownWords, { group, says }: JudgedPage): boolean {
  const groups = new Map(Object.entries(host.groups));
  const before = groups.get(group) ?? EMPTY_GROUP;
  const own = withoutNoise(says, before);
  const isNews = (some: PageSayings): boolean => {
    const { saysNew, leadsOn } = weigh(some, before, groups, known, own);
    return saysNew || leadsOn;
  };
  return isNews(own) && !isNews(withoutShapes(own, () => true));
}

/** `listed`: the page by which it is decided whether it is a list. */
function weigh(
  says: PageSayings,
  before: EndlessGroup,
  groups: ReadonlyMap<string, EndlessGroup>,
  known: KnownWords,
  listed = says,
) {
  const lists = before.lists + (isList(listed, before) ? 1 : 0);
  // A list with few entries is a list, too, where most others are.
  const isOfLists = lists > before.lists || 2 * lists > before.pages;
  const facts = isOfLists ? null : ownFacts(says, before);
  const saysNew = hasNews(says, isOfLists, known) || (facts !== null && !known.has(facts));
  const saysNothing = !saysNew && !hasNews(says, false, known);
  return { lists, facts, saysNew, saysNothing, leadsOn: hasNewLinks(says, groups, known) };
}

function withNoise(group: EndlessGroup, noise: readonly number[]): EndlessGroup {
  if (noise.length === 0) return group;
  return { ...group, noise: [...new Set([...(group.noise ?? []), ...noise])].slice(-MAX_NOISE) };
}

function withoutNoise(says: PageSayings, { noise }: EndlessGroup): PageSayings {
  return noise === undefined ? says : withoutShapes(says, (shape) => noise.includes(shape()));
}

function withoutShapes(says: PageSayings, isLeftOut: (shape: Shape) => boolean): PageSayings {
  const left = <T extends Shaped>(all: readonly T[]): T[] =>
    all.filter(({ shape }) => shape === null || !isLeftOut(shape));
  return { ...says, lines: left(says.lines), links: left(says.links), pictures: left(says.pictures) };
}

function judge(before: EndlessGroup, saysNew: boolean, leadsOn: boolean): EndlessGroup {
  const weight = weightOf(before);
  const quiet = saysNew ? 0 : before.quiet + weight;
  const leads = saysNew ? 0 : before.leads + (leadsOn ? weight : 0);
  // A group that leads on again and again begins anew.
  const [run, led] = leads > MAX_LEADS ? [0, 0] : [quiet, leads];
  return {
    ...before,
    pages: before.pages + 1,
    news: before.news + (saysNew || leadsOn ? 1 : 0),
    quiet: run,
    leads: led,
    isSlowed: before.isSlowed ? !saysNew && !leadsOn : run >= QUIET_PAGES,
  };
}

/**
 * News is a picture that the host has not shown yet, and a line that it has not said yet, with or without the words of
 * the page's own URL. On a page that lists others, a line must also have a new word or be long: a heading such as "red,
 * large: 37 results" puts known words together, and so do the filters of any list.
 */
function hasNews({ lines, pictures }: PageSayings, isOfLists: boolean, known: KnownWords): boolean {
  if (pictures.some(({ said }) => isNew(said, known))) return true;
  const fresh = lines.filter(({ said }) => isNew(said, known));
  if (!isOfLists) return fresh.length > 0;
  return fresh.some(({ words }) => words.length >= LONG_LINE || words.some((word) => !known.has(word)));
}

/** Whether it leads to something of which the host has not spoken, and that does not belong to a quiet group. */
function hasNewLinks({ links }: PageSayings, groups: ReadonlyMap<string, EndlessGroup>, known: KnownWords): boolean {
  return links.some(({ said, groups: all }) => {
    const target = groups.get(all.find((group) => groups.has(group)) ?? "");
    const isDull = target !== undefined && (target.isSlowed || target.quiet >= DULL_FROM);
    return !isDull && isNew(said, known);
  });
}

function isNew(said: Said, known: KnownWords): boolean {
  return said.every((form) => !known.has(form));
}

/**
 * What a page that lists nothing, and has no query, says in numbers beside its frame: screws differ in nothing else,
 * and known prices and lengths under a new name are news. Null if that is nothing. The results of filters, which mostly
 * have a query, are such numbers, too.
 */
function ownFacts(says: PageSayings, group: EndlessGroup): number | null {
  const { hasQuery, title } = says;
  const own = hasQuery ? [] : factsOf(says).filter((fact) => !isOfFrame(group, fact));
  return own.length === 0 ? null : fingerprintOf(`facts ${title} ${own.toSorted().join(" ")}`);
}

function factsOf({ lines }: PageSayings): number[] {
  return [...new Set(lines.flatMap(({ fact }) => fact ?? []))];
}

function isOfFrame({ pages, counts }: EndlessGroup, fingerprint: number): boolean {
  return 2 * (counts[fingerprint] ?? 0) > pages;
}

function isList({ links, inside }: PageSayings, group: EndlessGroup): boolean {
  if (inside.filter((link) => !isOfFrame(group, link)).length >= MIN_FILTERS) return true;
  const listed = links.filter(({ said }) => !isOfFrame(group, said[0]));
  return [...Map.groupBy(listed, ({ groups }) => groups[0]).values()].some(({ length }) => length >= MIN_LISTED);
}

/** What most pages have stays among what is counted. */
function countIn({ counts }: EndlessGroup, says: PageSayings): EndlessGroup["counts"] {
  const counted = new Map(Object.entries(counts));
  const all = new Set([...says.links.map(({ said }) => said[0]), ...says.inside, ...factsOf(says)].map(String));
  for (const each of all) counted.set(each, (counted.get(each) ?? 0) + 1);
  const most = [...counted].sort(([, a], [, b]) => b - a).slice(0, MAX_COUNTS);
  return Object.fromEntries(most);
}

function remember({ lines, links, pictures }: PageSayings, known: KnownWords): void {
  for (const { said, words } of lines) for (const each of [...said, ...words]) known.add(each);
  const addresses: readonly SaidAddress[] = [...links, ...pictures];
  for (const { said } of addresses) for (const each of said) known.add(each);
}

/** The smallest group that is not slowed gives its place. */
function dropOne(groups: Map<string, EndlessGroup>, kept: string): void {
  const others = [...groups].filter(([group, { isSlowed }]) => group !== kept && !isSlowed);
  const smallest = others.toSorted(([, a], [, b]) => a.pages - b.pages)[0];
  if (smallest !== undefined) groups.delete(smallest[0]);
}

/** The state of a group, for people. */
export function describeGroup(group: string, { pages, quiet, isSlowed }: EndlessGroup): string {
  const state = isSlowed ? `slowed to one in ${SAMPLE_EVERY}` : "at full speed";
  return `${group} (${pages} pages judged, the last ${quiet} said nothing new, ${state})`;
}
