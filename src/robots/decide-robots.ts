/** Answers what a robots.txt says about one URL and one crawler (RFC 9309, sections 2.2.1 to 2.2.3). */
import type { Use } from "./content-signal.ts";
import { normalizeUrl } from "./normalize.ts";
import type { Robots, RobotsGroup } from "./parse.ts";
import { indexRules, mostSpecificRule, type RuleIndex } from "./rule-index.ts";

export interface RobotsDecision {
  allowed: boolean;
  /** The rule that decided, in the form of comparison, such as "Disallow: /private"; null where none matched. */
  rule: string | null;
  /** The group that applied: our token in lower case, or "*"; null where no group applies. */
  agent: string | null;
}

interface Lookup {
  groups: Map<string, RobotsGroup[]>;
  /** Filled at an agent's first question. */
  rules: Map<string, RuleIndex>;
  /** As `rules`, by agent and use. */
  signals: Map<string, RuleIndex>;
}

/**
 * Per file, so that a lane's URLs share the work. A file that was read from storage again is another object and is worked through
 * again, some tens of milliseconds at worst: keep the object in memory.
 */
const lookups = new WeakMap<Robots, Lookup>();

/**
 * `productToken` is compared whole and without regard to case with the agents of the groups; `*` is for those that no group names.
 * `url` is absolute. No matching rule allows, and /robots.txt is always allowed (section 2.2.2).
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
 * The content signal by which a site refuses one of these uses of a URL, such as "Content-Signal: ai-train=no", with the group that it
 * stands in; null where it refuses none. The most specific path decides, as in rules, and of two that say the opposite of the same path
 * the refusal counts. What a site says nothing of, it neither grants nor refuses (https://contentsignals.org/).
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
 * Seconds, fraction included and without an upper bound; null when the group that applies asks for none. Not in RFC 9309, but a
 * record of the kind that its section 2.2.4 lets a crawler read. Of several for one agent the longest counts.
 */
export function crawlDelayOf(robots: Robots, productToken: string): number | null {
  const agent = applicableAgent(lookupOf(robots), productToken);
  return robots.crawlDelays.find((delay) => delay.agent === agent)?.seconds ?? null;
}

/** The agent whose groups are for this product token: itself in lower case, `*`, or null where no group is. */
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

/** What is refused stands as allowed there: where two rules are equally specific, the one that allows wins. */
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
