import { hostnameOf } from "./host-key.ts";
import { isPublicHost } from "./public-address.ts";

/**
 * Decides whether a host is the operator's own. Only there a crawl may go faster than a guest, and past robots.txt. All
 * hosts are `URL.host` values.
 */

export type OwnHostEvidence =
  | { kind: "loopback" }
  /** The setting OWN_HOSTS lists it. */
  | { kind: "listed"; pattern: string }
  /** The crawl's `ownHosts` name it. */
  | { kind: "named" }
  /** It names the installation's key itself: by its file, or by a DNS record. `where`: the URL, or the name. */
  | { kind: "file" | "dns"; where: string };

/** A host (all its ports), `host:port`, or `*.suffix` for all hosts below a domain. */
const PATTERN = /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;
/** Top-level domains that nobody can register (RFC 2606, RFC 6761, RFC 6762, RFC 8375; ICANN on `internal`). */
const RESERVED_DOMAINS = new Set("test example invalid localhost local internal lan home corp private".split(" "));

/** What a setting says: its patterns, and the words that are none and count for nothing. */
export interface OwnHosts {
  patterns: readonly string[];
  problems: readonly string[];
}

/** Reads OWN_HOSTS: patterns between white space or commas. */
export function readOwnHosts(setting = ""): OwnHosts {
  const words = setting
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const { true: patterns = [], false: problems = [] } = Object.groupBy(words, (word) => `${isOwnPattern(word)}`);
  return { patterns, problems };
}

/** A suffix such as `*.com` would make own what belongs to everybody. */
function isOwnPattern(word: string): boolean {
  if (!PATTERN.test(word)) return false;
  const suffix = word.startsWith("*.") ? (word.slice(2).split(":")[0] ?? "") : null;
  return suffix === null || suffix.includes(".") || RESERVED_DOMAINS.has(suffix);
}

/** A host without a port is at its scheme's, 80 or 443, so a pattern with either names it. */
export function matchesHost(pattern: string, host: string): boolean {
  const port = /:\d+$/.exec(pattern)?.[0];
  const isDefault = (port === ":80" || port === ":443") && hostnameOf(host) === host;
  const at = port === undefined ? hostnameOf(host) : isDefault ? host + port : host;
  return pattern.startsWith("*.") ? at.endsWith(pattern.slice(1)) : at === pattern;
}

/**
 * `localhost` and names below it (RFC 6761, section 6.3), 127.0.0.0/8 and ::1. A name that only resolves there is not.
 */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}

/** `isNamed`: whether the crawl names it. That counts for private hosts alone: nobody else's can have such a name. */
export function findOwnHostEvidence(host: string, { patterns }: OwnHosts, isNamed: boolean): OwnHostEvidence | null {
  if (isLoopback(hostnameOf(host))) return { kind: "loopback" };
  const pattern = patterns.find((one) => matchesHost(one, host));
  if (pattern !== undefined) return { kind: "listed", pattern };
  return isNamed && !isPublicHost(hostnameOf(host)) ? { kind: "named" } : null;
}

/** How it is known that a host is one's own, for people. */
export function describeEvidence(evidence: OwnHostEvidence): string {
  switch (evidence.kind) {
    case "loopback":
      return "it is this machine";
    case "listed":
      return `OWN_HOSTS lists it (${evidence.pattern})`;
    case "named":
      return "the crawl names it as one's own";
    case "file":
      return `${evidence.where} names the installation's key`;
    case "dns":
      return `the TXT record of ${evidence.where} names the installation's key`;
  }
}
