/** Decides what a robots.txt says about one URL and one crawler (RFC 9309, sections 2.2.1 to 2.2.3). */
import type { Use } from "./content-signal.ts";
import { normalizeUrl } from "./normalize.ts";
import type { Robots, RobotsGroup } from "./parse.ts";
import { indexRules, mostSpecificRule, type RuleIndex } from "./rule-index.ts";

export interface RobotsDecision {
  allowed: boolean;
  /** The rule that decided, in normal form, such as "Disallow: /private"; null if none matched. */
  rule: string | null;
  /** The group that applies: our token in lower case, or "*"; null if no group applies. */
  agent: string | null;
}

interface Lookup {
  groups: Map<string, RobotsGroup[]>;
  /** By agent, indexed when first needed. */
  rules: Map<string, RuleIndex>;
  /** By agent and use, indexed when first needed. */
  signals: Map<string, RuleIndex>;
}

/**
 * One for each parsed file, so that the URLs of a lane share the work. Keep the object in memory: a file read from
 * storage again is another object, and indexing it again takes some tens of milliseconds at worst.
 */
const lookups = new WeakMap<Robots, Lookup>();

/**
 * Decides whether the crawler named `productToken` may fetch the absolute `url`. Agents match by their entire token, in
 * any case; `*` applies if no group names the token. Without a matching rule a URL is allowed, and /robots.txt always
 * is (section 2.2.2).
 */
export function decideRobots(robots: Robots, productToken: string, url: string): RobotsDecision {
  const lookup = lookupOf(robots);
  const agent = applicableAgent(lookup, productToken);
  const path = normalizeUrl(url);
  if (agent === null || path === "/robots.txt") return { allowed: true, rule: null, agent };
  const rule = mostSpecificRule(rulesOf(lookup, agent), path);
  if (rule === null) return { allowed: true, rule: null, agent };
  return { allowed: rule.allow, rule: `${rule.allow ? "Allow" : "Disallow"}: ${rule.pattern}`, agent };
}

/**
 * Returns the content signal that refuses one of `uses` for a URL, such as "Content-Signal: ai-train=no", and the agent
 * of its group; null if none does. The most specific path decides, as for rules. If two signals contradict each other
 * for the same path, the refusal wins. A use that is not named is neither granted nor refused
 * (https://contentsignals.org/).
 */
export function refusingSignal(
  robots: Robots,
  productToken: string,
  url: string,
  uses: readonly Use[],
): { signal: string; agent: string } | null {
  const lookup = lookupOf(robots);
  const agent = applicableAgent(lookup, productToken);
  if (agent === null) return null;
  const path = normalizeUrl(url);
  for (const use of uses) {
    const rule = mostSpecificRule(signalsOf(lookup, agent, use), path);
    if (rule === null || !rule.allow) continue;
    const signal = use.startsWith("use=") ? `use is below ${use.slice(4)}` : `${use}=no`;
    return { signal: `Content-Signal: ${rule.pattern === "/" ? "" : `${rule.pattern} `}${signal}`, agent };
  }
  return null;
}

/**
 * The Crawl-delay in seconds, which may have a fraction and has no upper bound; null if the group that applies has
 * none. The longest of several counts. RFC 9309 does not define it, but section 2.2.4 lets a crawler read such records.
 */
export function crawlDelayOf(robots: Robots, productToken: string): number | null {
  const agent = applicableAgent(lookupOf(robots), productToken);
  return robots.crawlDelays.find((delay) => delay.agent === agent)?.seconds ?? null;
}

/** The agent whose groups apply to this product token: the token in lower case, `*`, or null if no group applies. */
export function applicableAgentOf(robots: Robots, productToken: string): string | null {
  return applicableAgent(lookupOf(robots), productToken);
}

function lookupOf(robots: Robots): Lookup {
  const known = lookups.get(robots);
  if (known !== undefined) return known;
  const groups = new Map<string, RobotsGroup[]>();
  for (const group of robots.groups) {
    for (const agent of group.agents) {
      const sameAgent = groups.get(agent);
      if (sameAgent === undefined) groups.set(agent, [group]);
      else sameAgent.push(group);
    }
  }
  const lookup: Lookup = { groups, rules: new Map(), signals: new Map() };
  lookups.set(robots, lookup);
  return lookup;
}

function applicableAgent({ groups }: Lookup, productToken: string): string | null {
  const token = productToken.toLowerCase();
  if (groups.has(token)) return token;
  return groups.has("*") ? "*" : null;
}

function rulesOf(lookup: Lookup, agent: string): RuleIndex {
  const known = lookup.rules.get(agent);
  if (known !== undefined) return known;
  const index = indexRules(lookup.groups.get(agent) ?? []);
  lookup.rules.set(agent, index);
  return index;
}

/** Refused signals are indexed as `allow`, because `allow` wins among equally specific rules. */
function signalsOf(lookup: Lookup, agent: string, use: Use): RuleIndex {
  const key = `${agent} ${use}`;
  const known = lookup.signals.get(key);
  if (known !== undefined) return known;
  const signals = (lookup.groups.get(agent) ?? []).flatMap(({ agents, signals = [] }) => {
    const at = agents.indexOf(agent);
    return signals.filter(({ from, to }) => from <= at && at < to);
  });
  const patterns = (granted: boolean) =>
    signals.filter((signal) => signal.use === use && signal.granted === granted).map(({ pattern }) => pattern);
  const index = indexRules([{ agents: [agent], allow: patterns(false), disallow: patterns(true) }]);
  lookup.signals.set(key, index);
  return index;
}
