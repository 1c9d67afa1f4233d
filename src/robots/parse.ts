/**
 * Parses a robots.txt to plain data that can be stored: groups with patterns in normal form, delays, sitemaps (RFC
 * 9309, section 2).
 */
import { readSignals, type Signal } from "./content-signal.ts";
import { normalizePattern } from "./normalize.ts";
import { readLine } from "./read-line.ts";

/** 500 KiB, the minimum that RFC 9309, section 2.5, asks of a parser. This one reads no more. */
export const MAX_ROBOTS_BYTES = 512_000;

/**
 * Percent-encoding turns an octet into three characters. So a valid file takes at most three times its size in storage,
 * and fits the 2 MB of a Durable Object's value. An invalid octet takes nine, because decoding replaces it by a
 * character of three octets. Only a file full of those runs out of room; the rest of it is not read.
 */
const STORED_PER_OCTET = 3;
/** In characters: the stored size of a signal without its pattern. */
const SIGNAL_SIZE = 85;

/** Do not change it after parsing: decide-robots.ts keeps an index for each object. */
export interface Robots {
  readonly groups: readonly RobotsGroup[];
  /** Each agent occurs at most once. */
  readonly crawlDelays: readonly { readonly agent: string; readonly seconds: number }[];
  /** http(s) URLs as written, absolute or relative to the file, each once. */
  readonly sitemaps: readonly string[];
}

/** A run of user-agent lines and the rules after it. An agent may be in several groups; matching combines them. */
export interface RobotsGroup {
  /** Product tokens in lower case, or `*`. */
  readonly agents: readonly string[];
  /** Normalised patterns (`normalizePattern`), each once. */
  readonly allow: readonly string[];
  readonly disallow: readonly string[];
  /** The content signals, each once; absent if there are none, and in files that an older version stored. */
  readonly signals?: readonly GroupSignal[];
}

/**
 * A signal applies to the agents named right before it: those of the group from index `from` up to, but without, `to`.
 */
export interface GroupSignal extends Signal {
  readonly from: number;
  readonly to: number;
}

interface OpenGroup {
  agents: Set<string>;
  allow: Set<string>;
  disallow: Set<string>;
  signals: Map<string, GroupSignal>;
  /**
   * The index of the first agent to which the next signal applies. After a signal (`signalled`), the next agent sets it
   * anew.
   */
  signalFrom: number;
  signalled: boolean;
  /** Whether a rule has been read: then the next user-agent line begins another group. */
  hasRules: boolean;
  /** The agents named since the last Crawl-delay. The next Crawl-delay applies to them. */
  undelayed: string[];
}

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark or without, and replaces what is invalid. It reads at most
 * `MAX_ROBOTS_BYTES` and drops the line that this limit cuts, because half a rule says something else. To let it see
 * the cut, pass at least one byte more than the limit.
 */
export function decodeRobots(bytes: Uint8Array): string {
  // The octet after the limit shows whether the limit is at the end of a line.
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes.subarray(0, MAX_ROBOTS_BYTES + 1));
  if (bytes.length <= MAX_ROBOTS_BYTES) return text;
  return text.slice(0, Math.max(0, text.lastIndexOf("\n"), text.lastIndexOf("\r")));
}

/**
 * RFC 9309, section 2.3, asks for UTF-8. UTF-16 is known by its mark, or by the NULs in its first two characters, which
 * are ASCII.
 */
function encodingOf([a, b, c, d]: Uint8Array): string {
  if ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0 && c !== 0 && d === 0)) return "utf-16le";
  if ((a === 0xfe && b === 0xff) || (a === 0 && b !== 0 && c === 0 && d !== 0)) return "utf-16be";
  return "utf-8";
}

/**
 * Never throws, and skips each line that it cannot read (RFC 9309, section 2.3.1.5). Takes linear time. `text` is what
 * `decodeRobots` returns.
 */
export function parseRobots(text: string): Robots {
  const groups: OpenGroup[] = [];
  const crawlDelays = new Map<string, number>();
  const sitemaps = new Set<string>();
  let group: OpenGroup | null = null;
  let room = STORED_PER_OCTET * MAX_ROBOTS_BYTES;

  for (const line of text.split(/\r\n|\r|\n/)) {
    const record = readLine(line);
    if (record === null) continue;
    const { key, value } = record;
    room -= STORED_PER_OCTET * line.length;
    if (room < 0) break;

    if (key === "user-agent") {
      if (group === null || group.hasRules) {
        group = {
          agents: new Set(),
          allow: new Set(),
          disallow: new Set(),
          signals: new Map(),
          signalFrom: 0,
          signalled: false,
          hasRules: false,
          undelayed: [],
        };
        groups.push(group);
      }
      // A line that names no valid agent is still a user-agent line: it ends the group before it.
      const agent = agentOf(value);
      if (agent === null || group.agents.has(agent)) continue;
      if (group.signalled) group.signalFrom = group.agents.size;
      group.signalled = false;
      group.agents.add(agent);
      group.undelayed.push(agent);
    } else if (key === "allow" || key === "disallow") {
      if (group === null) continue;
      // An empty rule (section 2.2, empty-pattern) ends the list of agents and has no other effect.
      group.hasRules = true;
      // Paths begin with "/", so a pattern must begin with "/" or a wildcard to match.
      if (!value.startsWith("/") && !value.startsWith("*")) continue;
      const pattern = normalizePattern(value);
      room -= Math.max(0, pattern.length - STORED_PER_OCTET * value.length);
      if (room < 0) break;
      group[key].add(pattern);
    } else if (key === "crawl-delay") {
      const seconds = readSeconds(value);
      if (group === null || seconds === null) continue;
      for (const agent of group.undelayed) crawlDelays.set(agent, Math.max(seconds, crawlDelays.get(agent) ?? 0));
      group.undelayed = [];
    } else if (key === "content-signal") {
      if (group === null) continue;
      group.signalled = true;
      const from = group.signalFrom;
      for (const signal of readSignals(value)) {
        room -= SIGNAL_SIZE + signal.pattern.length;
        const key = `${from} ${signal.granted} ${signal.use} ${signal.pattern}`;
        if (room >= 0) group.signals.set(key, { ...signal, from, to: group.agents.size });
      }
      if (room < 0) break;
    } else if (key === "sitemap" && isSitemapUrl(value)) {
      sitemaps.add(value);
    }
  }

  return withFreshStrings({
    groups: groups
      .filter(({ agents }) => agents.size > 0)
      .map(({ agents, allow, disallow, signals }) => ({
        agents: [...agents],
        allow: [...allow],
        disallow: [...disallow],
        ...(signals.size === 0 ? {} : { signals: [...signals.values()] }),
      })),
    crawlDelays: [...crawlDelays].map(([agent, seconds]) => ({ agent, seconds })),
    sitemaps: [...sitemaps],
  });
}

/**
 * Copies all strings by way of JSON. In V8 a substring is a view that keeps the entire file in memory. One character
 * beyond Latin-1 in the file, even in a comment, makes each view take two bytes a character, in storage too.
 */
function withFreshStrings(robots: Robots): Robots {
  return JSON.parse(JSON.stringify(robots));
}

/** The product token at the beginning of a user-agent value (section 2.2.1): `Orbweaver/1.0` names orbweaver. */
function agentOf(value: string): string | null {
  if (/^\*(?:\s|$)/.test(value)) return "*";
  return /^[A-Za-z_-]+/.exec(value)?.[0].toLowerCase() ?? null;
}

/** A number of seconds, with or without the unit: `10`, `0.5 s`, `10 seconds`. */
function readSeconds(value: string): number | null {
  const [, number] = /^(\d+(?:\.\d*)?|\.\d+)[ \t]*(?:s|secs?|seconds?)?$/i.exec(value) ?? [];
  const seconds = number === undefined ? Number.NaN : Number(number);
  return Number.isFinite(seconds) ? seconds : null;
}

/** A relative URL counts if it has a slash or a dot; any other word is more likely a mistake than a file. */
function isSitemapUrl(value: string): boolean {
  if (!/^[^\s\p{Cc}]+$/u.test(value) || !/[/.]/.test(value)) return false;
  const protocol = URL.parse(value, "https://base.invalid/")?.protocol;
  return protocol === "https:" || protocol === "http:";
}
