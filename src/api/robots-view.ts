import type { RecalledRobots, RobotsAnswer, RobotsStatus } from "../host/gate-protocol.ts";
import { applicableAgentOf } from "../robots/decide-robots.ts";
import type { GroupSignal, RobotsGroup } from "../robots/parse.ts";
import { isoOrNull } from "./views.ts";

/** What the API shows of a robots.txt. */

export interface RobotsView {
  origin: string;
  state: RobotsStatus["state"];
  sentence: string;
  fetchedAt: string | null;
  retryAt: string | null;
  agent: string;
  groups: { agents: string[]; applies: boolean; rules: string[]; signals: string[] }[];
  crawlDelays: { agent: string; seconds: number }[];
  sitemaps: string[];
  decision: (RobotsAnswer & { url: string; sentence: string }) | null;
}

export function viewRobots({ origin, agent, url, status, robots, decision }: RecalledRobots, now: number): RobotsView {
  const applicable = robots === null ? null : applicableAgentOf(robots, agent);
  return {
    origin,
    state: status.state,
    sentence: sentenceOf(status, now),
    fetchedAt: isoOrNull(status.fetchedAt),
    retryAt: isoOrNull(status.retryAt),
    agent,
    groups: (robots?.groups ?? []).map((group) => viewGroup(group, applicable)),
    crawlDelays: [...(robots?.crawlDelays ?? [])],
    sitemaps: [...(robots?.sitemaps ?? [])],
    decision:
      decision === null || url === null
        ? null
        : { url, ...decision, sentence: decisionSentence(decision, status, agent) },
  };
}

function viewGroup({ agents, allow, disallow, signals = [] }: RobotsGroup, applicable: string | null) {
  return {
    agents: [...agents],
    applies: applicable !== null && agents.includes(applicable),
    rules: [...disallow.map((rule) => `Disallow: ${rule}`), ...allow.map((rule) => `Allow: ${rule}`)],
    signals: signals.map((signal) => signalText(signal, agents)),
  };
}

/** `use` is kept as what it grants of each level. */
function signalText({ use, granted, pattern, from, to }: GroupSignal, agents: readonly string[]): string {
  const what = use.startsWith("use=")
    ? `use up to ${use.slice(4)}: ${granted ? "yes" : "no"}`
    : `${use}=${granted ? "yes" : "no"}`;
  const whom = to - from < agents.length ? ` (for ${agents.slice(from, to).join(", ")})` : "";
  return `${pattern === "/" ? "" : `${pattern} `}${what}${whom}`;
}

function sentenceOf({ state, detail, retryAt }: RobotsStatus, now: number): string {
  const again =
    retryAt === null || retryAt <= now ? "" : `; it is asked for again in ${Math.ceil((retryAt - now) / 1000)} s`;
  switch (state) {
    case "read":
      return "This is what was understood of it; lines that mean nothing to a crawler are left out.";
    case "allow-all":
      return "There is no robots.txt, so everything may be fetched.";
    case "own":
      return "This is one of the operator's own hosts, whose robots.txt is not asked for.";
    case "unread":
      return "No crawl has asked for it so far. It is read before anything else of this origin is fetched.";
    default:
      return `${detail ?? "It could not be read"}${again}.`;
  }
}

function decisionSentence({ allowed, rule, agent }: RobotsAnswer, { state }: RobotsStatus, own: string): string {
  if (allowed === null) return "It has not been read, so it says nothing yet.";
  if (state !== "read")
    return allowed ? "There are no rules, so it may be fetched." : "It could not be read, so nothing may be fetched.";
  const group = agent === null ? `no group is for ${own}` : `the group for ${agent} applies to ${own}`;
  return `${allowed ? "It may be fetched" : "It may not be fetched"}: ${group}, and ${rule === null ? "no rule matches" : `“${rule}” decides`}.`;
}
