import * as z from "zod";
import type { RecalledRobots, RobotsAnswer, RobotsStatus } from "../../host/gate-protocol.ts";
import { applicableAgentOf } from "../../robots/decide-robots.ts";
import type { GroupSignal, RobotsGroup } from "../../robots/parse.ts";
import { isoOrNull, listOf, objectOf, optionalText, requestOf, time } from "../requests/fields.ts";

/** A robots.txt as it was read, and what it says about a URL. */

export const robotsQuery = requestOf({
  origin: optionalText.describe(
    "Origin of the robots.txt, or any URL there. Without it: the origin of `url`, or of the first seed.",
  ),
  url: optionalText.describe("A URL to test against it."),
});

export const robotsView = objectOf({
  origin: z.string().describe("The origin of the robots.txt."),
  state: z
    .enum(["read", "allow-all", "silent", "unreachable", "given-up", "later", "own", "unread"])
    .describe(
      "`read`: it was read. `allow-all`: there is none. `own`: it is never requested, because the host is the operator's. `unread`: no crawl has requested it. All others: it could not be read.",
    ),
  sentence: z.string().describe("The state in words."),
  fetchedAt: time.nullable().describe("When it was fetched."),
  retryAt: time.nullable().describe("When it is requested again."),
  agent: z.string().describe("The crawl's name in robots.txt."),
  groups: listOf({
    agents: z.array(z.string()).describe("The User-agent lines."),
    applies: z.boolean().describe("Whether the group applies to this crawl."),
    rules: z.array(z.string()).describe("The rules, normalized for comparison."),
    signals: z.array(z.string()).describe("The content signals: what its pages may be used for."),
  }).describe("The groups, in the order of the file."),
  crawlDelays: listOf({
    agent: z.string().describe("The name of the crawler."),
    seconds: z.number().min(0).describe("The delay, in seconds."),
  }).describe("The Crawl-delay lines."),
  sitemaps: z.array(z.string()).describe("The Sitemap lines."),
  decision: objectOf({
    url: z.string().describe("The URL, canonical."),
    allowed: z.boolean().nullable().describe("Whether the URL may be fetched. null: robots.txt has not been read."),
    rule: z.string().nullable().describe("The line that decided. null: no line matched."),
    agent: z.string().nullable().describe("The group that applied. null: no group applied."),
    sentence: z.string().describe("The decision in words."),
  })
    .nullable()
    .describe("What it says about `url`. null: the request has no `url`."),
});
export type RobotsView = z.output<typeof robotsView>;

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

/** `use` is stored as one grant for each level. */
function signalText({ use, granted, pattern, from, to }: GroupSignal, agents: readonly string[]): string {
  const what = use.startsWith("use=")
    ? `use up to ${use.slice(4)}: ${granted ? "yes" : "no"}`
    : `${use}=${granted ? "yes" : "no"}`;
  const whom = to - from < agents.length ? ` (for ${agents.slice(from, to).join(", ")})` : "";
  return `${pattern === "/" ? "" : `${pattern} `}${what}${whom}`;
}

function sentenceOf({ state, detail, retryAt }: RobotsStatus, now: number): string {
  const again =
    retryAt === null || retryAt <= now ? "" : `; it is requested again in ${Math.ceil((retryAt - now) / 1000)} s`;
  switch (state) {
    case "read":
      return "This is what the crawler read. Lines that are not for crawlers are left out.";
    case "allow-all":
      return "There is no robots.txt, so everything may be fetched.";
    case "own":
      return "This is one of the operator's own hosts, and the crawl is to ignore robots.txt there, so it is not requested.";
    case "unread":
      return "No crawl has requested it so far. It is read before anything else of this origin is fetched.";
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
