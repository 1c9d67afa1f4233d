/** Reads a robots.txt into plain data that can be stored: groups with normalised patterns, delays, sitemaps (RFC 9309, section 2). */
import { readSignals, type Signal } from "./content-signal.ts";
import { normalizePattern } from "./normalize.ts";

/** 500 KiB, the least that a parser has to read (RFC 9309, section 2.5), and all that this one does. */
export const MAX_ROBOTS_BYTES = 512_000;

/**
 * Percent-encoding makes three characters of an octet, so what is stored of a valid file is at most so much larger than the file, and
 * fits the 2 MB of a Durable Object's value. Invalid octets take nine, each being replaced by a character of three octets: only a file
 * full of those runs out of room, and what stands below that point is not read.
 */
const STORED_PER_OCTET = 3;
/** What is stored of a signal, but for its pattern. */
const SIGNAL_SIZE = 85;

/** Not to be changed after parsing: matching remembers what it worked out for this very object. */
export interface Robots {
  readonly groups: readonly RobotsGroup[];
  /** An agent stands here at most once. */
  readonly crawlDelays: readonly { readonly agent: string; readonly seconds: number }[];
  /** Absolute http(s) URLs as written, each once. */
  readonly sitemaps: readonly string[];
}

/** A run of user-agent lines and the rules that follow it. An agent may be in several; matching combines them. */
export interface RobotsGroup {
  /** Product tokens in lower case, or `*`. */
  readonly agents: readonly string[];
  /** Normalised patterns (`normalizePattern`), each once. */
  readonly allow: readonly string[];
  readonly disallow: readonly string[];
  /** What its pages may be used for, each once; absent where nothing is said, and in what an older version stored. */
  readonly signals?: readonly GroupSignal[];
}

/** A signal is for the agents that are named right before it: those of the group from `from` up to `to`. */
export interface GroupSignal extends Signal {
  readonly from: number;
  readonly to: number;
}

interface OpenGroup {
  agents: Set<string>;
  allow: Set<string>;
  disallow: Set<string>;
  signals: Map<string, GroupSignal>;
  /** The agents that the next signal is for begin here; a signal has been seen, so that the next agent begins anew. */
  signalFrom: number;
  signalled: boolean;
  /** A rule has been seen: the next user-agent line begins a group of its own. */
  hasRules: boolean;
  /** Agents named since the last Crawl-delay, which the next one is for. */
  undelayed: string[];
}

/**
 * Decodes UTF-8, invalid bytes replaced. Of a longer file the first `MAX_ROBOTS_BYTES` are read, without the line that the cut goes
 * through: half a rule says something else. So hand over at least one byte more than the limit where there is one.
 */
export function decodeRobots(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, endOfLastWholeLine(bytes)));
}

/**
 * Never throws; what it cannot read it leaves out, line by line (RFC 9309, section 2.3.1.5). Linear in the length of the text, of
 * which it reads as much as `decodeRobots` returns.
 */
export function parseRobots(text: string): Robots {
  const groups: OpenGroup[] = [];
  const crawlDelays = new Map<string, number>();
  const sitemaps = new Set<string>();
  let group: OpenGroup | null = null;
  let room = STORED_PER_OCTET * MAX_ROBOTS_BYTES;

  for (const line of text.split(/\r\n|\r|\n/)) {
    const record = readRecord(line);
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
      // A line that names nobody we could be is still a user-agent line: it ends the group before it.
      const agent = agentOf(value);
      if (agent === null || group.agents.has(agent)) continue;
      if (group.signalled) group.signalFrom = group.agents.size;
      group.signalled = false;
      group.agents.add(agent);
      group.undelayed.push(agent);
    } else if (key === "allow" || key === "disallow") {
      if (group === null) continue;
      // An empty rule is a rule (section 2.2, empty-pattern): it ends the list of agents, and says nothing else.
      group.hasRules = true;
      // Paths begin with "/", so nothing else but a wildcard can match one.
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
 * V8 makes a string that is cut out of another a view of it: it keeps the whole file in memory, and one character beyond Latin-1 in
 * the file, be it in a comment, makes every one of them take two bytes a character, in storage too. Strings read from JSON stand alone.
 */
function withFreshStrings(robots: Robots): Robots {
  return JSON.parse(JSON.stringify(robots));
}

/** A line without its comment, split at the first colon; null if it has none. A byte order mark counts as white space everywhere. */
function readRecord(line: string): { key: string; value: string } | null {
  const comment = line.indexOf("#");
  const content = comment === -1 ? line : line.slice(0, comment);
  const colon = content.indexOf(":");
  if (colon === -1) return null;
  return { key: content.slice(0, colon).trim().toLowerCase(), value: trimValue(content.slice(colon + 1)) };
}

/** At its end a value loses spaces and tabs alone, as section 2.2 has it: any other white space there is an octet of the path. */
function trimValue(value: string): string {
  const start = value.trimStart();
  let end = start.length;
  while (end > 0 && (start[end - 1] === " " || start[end - 1] === "\t")) end--;
  return start.slice(0, end);
}

/** The product token that a user-agent value begins with (section 2.2.1), so that `Orbweaver/1.0` names orbweaver. */
function agentOf(value: string): string | null {
  if (/^\*(?:\s|$)/.test(value)) return "*";
  return /^[A-Za-z_-]+/.exec(value)?.[0].toLowerCase() ?? null;
}

function readSeconds(value: string): number | null {
  if (!/^(?:\d+(?:\.\d*)?|\.\d+)$/.test(value)) return null;
  const seconds = Number(value);
  return Number.isFinite(seconds) ? seconds : null;
}

function isSitemapUrl(value: string): boolean {
  return /^https?:\/\/[^\s\p{Cc}]+$/iu.test(value) && URL.canParse(value);
}

function endOfLastWholeLine(bytes: Uint8Array): number {
  if (bytes.length <= MAX_ROBOTS_BYTES) return bytes.length;
  let end = MAX_ROBOTS_BYTES;
  // The octet after the limit tells whether the limit fell on the end of a line.
  while (end > 0 && !isLineEnd(bytes[end])) end--;
  return end;
}

function isLineEnd(octet: number | undefined): boolean {
  return octet === 0x0a || octet === 0x0d;
}
