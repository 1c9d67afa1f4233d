/** Learns which parts of a host's URLs never change the page, from pairs of URLs that differ in one part. */

import { partsOfUrl, type UrlPart } from "./same-page-parts.ts";

/** What a crawl has learned of a host. Stored as JSON, usually some 10 kB, at most some 150 kB. */
export interface HostSamePages {
  /** By scope and part. */
  readonly rules: Readonly<Record<string, SamePageRule>>;
  /** Hashes of blocks, without their numbers, that change from visit to visit: counters and times. */
  readonly noise: readonly string[];
  /** How many pages were requested twice to find noise. */
  readonly controls: number;
}

export interface SamePageRule {
  readonly scope: string;
  readonly part: string;
  /** Distinct reduced URLs for which the part changed nothing, and for which it did. */
  readonly same: number;
  readonly different: number;
  /**
   * Pages among `same` that were compared with their reduced form, or redirect to it, after the support was reached.
   */
  readonly samples: number;
  /** The number of pages by value; at most MAX_VALUES values. */
  readonly values: Readonly<Record<string, number>>;
  /** Hashes of the reduced URLs, of them with the value, and of contents that were counted: each counts once. */
  readonly counted: readonly string[];
  /** For people: pairs of which the first was compared with the second. */
  readonly examples: readonly (readonly [url: string, other: string])[];
  /** A page that the part did change after the rule was used. The rule holds no more. */
  readonly withdrawnBy: string | null;
}

/** Two URLs of one host that differ in one part. */
interface SamePageExample extends Pick<UrlPart, "part" | "value" | "scope" | "reduced"> {
  readonly url: string;
  /** The URL with which it was compared: the reduced form, or one with another value. */
  readonly other: string;
  readonly isSame: boolean;
  /** Whether it tells of the reduced form: both were fetched and compared, or the site redirects to it. */
  readonly isSample: boolean;
  /** Hash of what both show; null for a redirect. Pages that all show the same, such as a login, are one example. */
  readonly content: string | null;
}

export const EMPTY_SAME_PAGES: HostSamePages = { rules: {}, noise: [], controls: 0 };

const MIN_SUPPORT = 5;
const MIN_CONFIDENCE = 0.95;
const MIN_SAMPLES = 3;
/** Pages of a value before URLs with it are refused. */
const MIN_PER_VALUE = 3;
/** So many distinct values mean that any value changes nothing, as of sessions; unless they are small numbers. */
const OPEN_VALUES = 5;
const MAX_VALUES = 8;
/** A part with so many counterexamples is not looked at any more. */
const MAX_DIFFERENT = 3;
const MAX_COUNTED = 100;
const MAX_RULES = 60;
const MAX_EXAMPLES = 3;
/** Of both URLs of an example. Longer ones would fill the row. */
const MAX_EXAMPLE_LENGTH = 400;
const SMALL_NUMBER = /^-?\d{0,6}$/;
/** A part that changes nothing in so many folders needs one sample in another one. */
const MIN_FOLDERS = 3;
/** One in so many URLs that a rule would hold back is fetched at once, to test the rule. */
const AUDIT_EVERY = 20;

/** The name of a rule on its host. */
export function samePageKey({ scope, part }: Pick<UrlPart, "scope" | "part">): string {
  return `${scope} ${part}`;
}

export function ruleOf(host: HostSamePages, { scope, part }: Pick<UrlPart, "scope" | "part">): SamePageRule | null {
  const key = samePageKey({ scope, part });
  return Object.hasOwn(host.rules, key) ? (host.rules[key] ?? null) : null;
}

export function confidenceOf({ same, different }: SamePageRule): number {
  return same + different === 0 ? 0 : same / (same + different);
}

/** Whether the rule has its support and its confidence. Samples that it predicts must verify it then. */
export function isSupported(rule: SamePageRule): boolean {
  return rule.withdrawnBy === null && rule.same >= MIN_SUPPORT && confidenceOf(rule) >= MIN_CONFIDENCE;
}

/** Whether URLs are refused by the rule. */
export function isActive(host: HostSamePages, rule: SamePageRule): boolean {
  return isProven(rule) || isAdopted(host, rule);
}

/** Whether the rule's own evidence is enough. */
function isProven(rule: SamePageRule): boolean {
  return isSupported(rule) && rule.same >= MIN_SUPPORT + MIN_SAMPLES && rule.samples >= MIN_SAMPLES;
}

/** Whether a sample verified in this folder what is proven in others. */
function isAdopted(host: HostSamePages, rule: SamePageRule): boolean {
  return rule.withdrawnBy === null && rule.samples > 0 && provenElsewhere(host, rule).length >= MIN_FOLDERS;
}

/** The proven rules of other folders about the part. None if the part changed a page anywhere on the host. */
function provenElsewhere({ rules }: HostSamePages, { part, scope }: Pick<SamePageRule, "part" | "scope">) {
  const own = Object.values(rules).filter((rule) => rule.part === part);
  if (own.some(({ different, withdrawnBy }) => different > 0 || withdrawnBy !== null)) return [];
  return own.filter((rule) => rule.scope !== scope && isProven(rule));
}

/** Whether an example with this part and value would teach something. */
export function isOpen(host: HostSamePages, part: UrlPart): boolean {
  const rule = ruleOf(host, part);
  if (rule === null) return hasRoom(host);
  if (isGivenUp(host, rule)) return false;
  return !isActive(host, rule) || !covers(host, rule, part.value);
}

/** The URL without all parts that rules leave out, and the rules; null if there are none. */
export function reduceUrl(host: HostSamePages, url: string): { reduced: string; rules: SamePageRule[] } | null {
  if (!Object.values(host.rules).some(isProven)) return null;
  const rules: SamePageRule[] = [];
  let reduced = url;
  for (;;) {
    const found = partsOfUrl(reduced).find((part) => {
      const rule = ruleOf(host, part);
      return rule !== null && isActive(host, rule) && covers(host, rule, part.value) && !rules.includes(rule);
    });
    if (found === undefined) break;
    rules.push(ruleOf(host, found) as SamePageRule);
    reduced = found.reduced;
  }
  return rules.length === 0 ? null : { reduced, rules };
}

/**
 * Whether the URL is fetched at once to test the rules that would hold it back. The same for each batch of the crawl
 * that finds it, and unknown to the site.
 */
export function isAudited(crawl: string, url: string): boolean {
  return hashUrl(`${crawl} ${url}`) % AUDIT_EVERY === 0;
}

/** A number by which the tests at the end of a crawl are drawn: the lowest ones. Unlike that of `isAudited`. */
export function drawnPlace(crawl: string, url: string): number {
  return hashUrl(`${url} ${crawl}`);
}

/** Whether the rule holds for any value, as for sessions: then URLs may be endless. */
export function takesAnyValue(host: HostSamePages, rule: SamePageRule): boolean {
  return isOfAnyValue(rule) || (isAdopted(host, rule) && provenElsewhere(host, rule).some(isOfAnyValue));
}

/** Whether a rule was used before a lesson and is not after it. */
export function hasLapsed(before: HostSamePages, after: HostSamePages): boolean {
  return Object.values(before.rules).some((rule) => {
    const now = ruleOf(after, rule);
    return isActive(before, rule) && (now === null || !isActive(after, now));
  });
}

/** The host with one more example. An example that was counted before changes nothing. */
export function learnExample(host: HostSamePages, example: SamePageExample): HostSamePages {
  const { scope, part, value, reduced, url, other, isSame, isSample, content } = example;
  const known = ruleOf(host, example);
  // Most segments select pages: only one that was left out once without a change is counted.
  if (known === null && !isSame && part.startsWith("/")) return host;
  const rule = known ?? newRule(scope, part);
  const [page, pageOfValue] = [hashUrl(reduced).toString(36), hashUrl(`${value} ${reduced}`).toString(36)];
  if (rule.withdrawnBy !== null) return host;
  if (!isSame) {
    const mark = `!${page}`;
    if (rule.counted.includes(mark)) return host;
    const withdrawnBy = isActive(host, rule) ? url : null;
    return withRule(host, { ...rule, different: rule.different + 1, counted: count(rule, mark), withdrawnBy });
  }
  const isNewPage = !rule.counted.includes(page);
  const mark = content === null ? [] : [`=${hashUrl(content).toString(36)}`];
  if (isNewPage && mark.some((each) => rule.counted.includes(each))) return host;
  const hasRoom = Object.hasOwn(rule.values, value) || Object.keys(rule.values).length < MAX_VALUES;
  const isNewValue = hasRoom && !rule.counted.includes(pageOfValue);
  if (isGivenUp(host, rule) || (!isNewPage && !isNewValue)) return host;
  const isVerified = isNewPage && isSample && (isSupported(rule) || provenElsewhere(host, rule).length >= MIN_FOLDERS);
  const isShown = isNewPage && rule.examples.length < MAX_EXAMPLES && url.length + other.length <= MAX_EXAMPLE_LENGTH;
  const examples = isShown ? [...rule.examples, [url, other] as const] : rule.examples;
  return withRule(host, {
    ...rule,
    same: rule.same + (isNewPage ? 1 : 0),
    samples: rule.samples + (isVerified ? 1 : 0),
    values: isNewValue ? { ...rule.values, [value]: pagesOf(rule, value) + 1 } : rule.values,
    counted: count(rule, ...(isNewPage ? [page, ...mark] : []), ...(isNewValue ? [pageOfValue] : [])),
    examples,
  });
}

/** Whether the rule refuses URLs with this value. */
export function covers(host: HostSamePages, rule: SamePageRule, value: string): boolean {
  if (hasProven(rule, value)) return true;
  return isAdopted(host, rule) && provenElsewhere(host, rule).some((other) => hasProven(other, value));
}

function hasProven(rule: SamePageRule, value: string): boolean {
  return pagesOf(rule, value) >= MIN_PER_VALUE || (isOfAnyValue(rule) && !SMALL_NUMBER.test(value));
}

function isOfAnyValue({ values }: SamePageRule): boolean {
  const seen = Object.keys(values);
  return seen.length >= OPEN_VALUES && seen.every((each) => !SMALL_NUMBER.test(each));
}

/** The values are those of a site, and may be called like what every object inherits. */
function pagesOf({ values }: SamePageRule, value: string): number {
  return Object.hasOwn(values, value) ? (values[value] ?? 0) : 0;
}

export type SamePageState = "learning" | "in use" | "withdrawn";

export function stateOf(host: HostSamePages, rule: SamePageRule): SamePageState {
  if (rule.withdrawnBy !== null) return "withdrawn";
  return isActive(host, rule) ? "in use" : "learning";
}

/** The rule and its evidence, for people. */
export function describeSamePageRule(host: HostSamePages, rule: SamePageRule): string {
  const { part, scope, same, different, samples, withdrawnBy } = rule;
  const evidence = `${same} pages with it are the same without it, ${different} are not, ${samples} samples verified it`;
  const confidence = `confidence ${confidenceOf(rule).toFixed(2)}`;
  const use =
    isAdopted(host, rule) && !isProven(rule) ? "in use, as in other folders of the host" : stateOf(host, rule);
  const state = withdrawnBy === null ? use : `withdrawn because of ${withdrawnBy}`;
  return `${part} at ${scope} (${evidence}, ${confidence}, ${state})`;
}

function newRule(scope: string, part: string): SamePageRule {
  const none = { same: 0, different: 0, samples: 0, values: {}, counted: [], examples: [], withdrawnBy: null };
  return { scope, part, ...none };
}

function isGivenUp(host: HostSamePages, rule: SamePageRule): boolean {
  if (rule.withdrawnBy !== null) return true;
  return !isActive(host, rule) && (rule.different >= MAX_DIFFERENT || rule.counted.length >= MAX_COUNTED);
}

function hasRoom({ rules }: HostSamePages): boolean {
  const all = Object.values(rules);
  return all.length < MAX_RULES || all.some(({ same }) => same === 0);
}

/** With too many rules, the oldest one without an example gives its place. */
function withRule(host: HostSamePages, rule: SamePageRule): HostSamePages {
  const key = samePageKey(rule);
  const rules = Object.entries(host.rules);
  if (Object.hasOwn(host.rules, key) || rules.length < MAX_RULES)
    return { ...host, rules: { ...host.rules, [key]: rule } };
  const oldest = rules.findIndex(([, { same }]) => same === 0);
  return oldest === -1 ? host : { ...host, rules: Object.fromEntries([...rules.toSpliced(oldest, 1), [key, rule]]) };
}

function count(rule: SamePageRule, ...marks: string[]): string[] {
  return [...rule.counted, ...marks];
}

/** FNV-1a, 32 bits. */
function hashUrl(url: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < url.length; at++) hash = Math.imul(hash ^ url.charCodeAt(at), 0x0100_0193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x85eb_ca6b) >>> 0;
}
