import type { Use } from "../robots/content-signal.ts";
import { crawlDelayOf, decideRobots, type RobotsDecision, refusingSignal } from "../robots/decide-robots.ts";
import type { Robots } from "../robots/parse.ts";
import type { RobotsAnswer, RobotsStatus, Verdict } from "./gate-protocol.ts";
import type { RobotsFile } from "./robots-state.ts";

/** Decisions from an origin's robots.txt, or from the reason why it could not be read. */

export function crawlDelayMsOf(file: RobotsFile | Later | undefined, agent: string): number | null {
  const seconds = file?.state === "read" ? crawlDelayOf(file.robots, agent) : null;
  return seconds === null ? null : seconds * 1000;
}

/** Stands for the robots.txt of the operator's own host, which is not read. */
export const OWN: RobotsFile = { state: "allow-all", fetchedAt: 0 };

/** robots.txt must be read first, and may not be requested before `retryAt`. */
export interface Later {
  state: "later";
  retryAt: number;
}

/** The crawler, and its purposes. */
interface Asker {
  /** A product token. */
  agent: string;
  /** The purposes that a content signal may refuse. */
  uses: readonly Use[];
  /** Whether its crawl has had no answer yet. */
  isNew?: boolean;
}

/** The verdict of robots.txt on a URL; null when the URL may be fetched. */
export function judge(file: RobotsFile | Later, asker: Asker, url: string, now: number): Verdict | null {
  switch (file.state) {
    case "allow-all":
      return null;
    case "later":
      return { kind: "wait", delayMs: Math.max(1_000, file.retryAt - now), why: null };
    case "silent":
      return { kind: "wait", delayMs: Math.max(1_000, file.retryAt - now), why: file.detail };
    case "given-up":
      return { kind: "denied", reason: "robots-unreachable", detail: file.detail };
    case "unreachable":
      return file.final || (asker.isNew && file.isFinalForNew)
        ? { kind: "denied", reason: file.reason, detail: file.detail }
        : { kind: "wait", delayMs: Math.max(1_000, file.retryAt - now), why: `robots.txt: ${file.detail}` };
    case "read": {
      const { decision, isSignal } = decide(file.robots, asker, url);
      if (decision.allowed) return null;
      const detail = `${decision.rule} (for ${decision.agent})`;
      return { kind: "denied", reason: isSignal ? "content-signal" : "robots", detail };
    }
  }
}

export const UNREAD: RobotsStatus = {
  state: "unread",
  detail: null,
  fetchedAt: null,
  silentSince: null,
  retryAt: null,
};

const SILENT = new Set<RobotsStatus["state"]>(["silent", "unreachable", "given-up"]);

/** Whether the last request for the file brought none. */
export function isSilent({ state }: RobotsStatus): boolean {
  return SILENT.has(state);
}

export const UNDECIDED: RobotsAnswer = { allowed: null, rule: null, agent: null };

export function describeRobots(file: RobotsFile | Later): RobotsStatus {
  if (file === OWN) return { ...UNREAD, state: "own" };
  if ("fetchedAt" in file) return { ...UNREAD, state: file.state, fetchedAt: file.fetchedAt };
  if (file.state === "later") return { ...UNREAD, state: file.state, retryAt: file.retryAt };
  const { state, detail, firstAt, retryAt } = file;
  return { ...UNREAD, state, detail, silentSince: firstAt, retryAt };
}

export function decisionOf(file: RobotsFile | Later, asker: Asker, url: string): RobotsAnswer {
  if (file.state === "read") return decide(file.robots, asker, url).decision;
  const isFinal = file.state === "given-up" || (file.state === "unreachable" && file.final);
  return { allowed: file.state === "allow-all" ? true : isFinal ? false : null, rule: null, agent: null };
}

/** Asks the rules first, and the content signals when the rules allow. */
function decide(robots: Robots, { agent, uses }: Asker, url: string): { decision: RobotsDecision; isSignal: boolean } {
  const decision = decideRobots(robots, agent, url);
  const refusal = decision.allowed ? refusingSignal(robots, agent, url, uses) : null;
  if (refusal === null) return { decision, isSignal: false };
  return { decision: { allowed: false, rule: refusal.signal, agent: refusal.agent }, isSignal: true };
}
