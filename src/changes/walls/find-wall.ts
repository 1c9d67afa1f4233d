import { DAY_MS } from "../../core/clock.ts";
import type { Suspicion } from "../compare/suspicion.ts";
import type { PageVersion } from "../page-version.ts";
import { isLost, type KeptText } from "./kept-text.ts";

/**
 * Recognises an answer that stands before a page and is no version of it, although its status is no error: an outage, a
 * log-in, a proof of a human, a parked domain. This is the one rule for them.
 *
 * Most signs need no language: the page has lost all that it said, and other pages of its host answer alike, a form
 * asks for a password where none did, or the visits before have failed. A page that keeps a part of its text, or its
 * own title, is edited. So a redesign, a footer with another date and a shop that is sold out everywhere are changes.
 * A page that is in another language now may be meant for another visitor.
 */

/** How sure it is. What a wall says is held for a time that follows from it (`WAITS`). */
export type WallStrength = "sure" | "likely" | "possible";

export interface Wall {
  strength: WallStrength;
  /** The evidence in words, for people. */
  why: string;
}

/** What is known of an answer with another text, or with none. */
export interface AnswerSigns {
  /** Null for an answer without a text, such as a redirect. */
  kept: KeptText | null;
  /** What it asks for, and the page did not; null for nothing. */
  asks: PageVersion["asks"];
  /**
   * What a redirect leads to: what is named like a log-in, where the page is not, or what is told the way back to the
   * page. Null for neither, and for what is no redirect.
   */
  leadsTo: "log-in" | "back" | null;
  /** Its language, if that is another one than the page's; null if it is not, or not known. */
  otherLanguage: string | null;
  /** What its words and its text say by themselves. */
  suspicion: Suspicion | null;
  /** Other pages of its host that lately lost their text, too, and answer alike. */
  alike: number;
  /** Whether so many pages of the host are lost that the host is in trouble. */
  isHostTroubled: boolean;
  /** Failed visits in a row before it. */
  failures: number;
  /** Its title or its first words, for people; empty if it says nothing. */
  says: string;
}

/**
 * How long an answer that may be a wall is held. What still is so then is told as a change: a site that ends with one
 * page for all URLs, or a page that is about logging in.
 */
export const WAITS: Record<WallStrength, { visits: number; ms: number }> = {
  sure: { visits: 3, ms: 14 * DAY_MS },
  likely: { visits: 3, ms: 3 * DAY_MS },
  // The other pages of the host have been visited by then, or half of them.
  possible: { visits: 1, ms: 0 },
};

/** So many other pages that answer alike are no chance. Two products may end with the same sentence. */
export const LEAST_OTHERS_ALIKE = 2;
/** One failure happens to any page. */
const LEAST_FAILURES = 2;
/** Characters that a page must have had before it says something if they are gone. */
const LEAST_TEXT = 80;

const ASKS = { password: "it asks for a password, and did not before", human: "it asks for a proof of a human" };
const SUSPECTED: Record<Suspicion, string> = {
  "missing-page": "it says that there is no such page",
  blocked: "it says that it is closed, or asks to log in",
  "only-template": "nothing is left of its text",
};

/** Null for an answer that is a version of its page. */
export function findWall(signs: AnswerSigns): Wall | null {
  const { kept, asks, leadsTo, otherLanguage, suspicion, alike, isHostTroubled, failures, says } = signs;
  const quote = says === "" ? "" : `: ${says}`;
  const wall = (strength: WallStrength, why: string): Wall => ({ strength, why: `${why}${quote}` });
  if (kept !== null && !isLost(kept)) return null;
  // A form that asks for a password may name the page that is behind it.
  if (kept !== null && asks != null) return wall("sure", ASKS[asks]);
  // Names stay in translations.
  const translated = otherLanguage === null ? null : wall("likely", `it is in another language, ${otherLanguage}`);
  if (kept?.keepsName === true) return suspicion === null ? translated : wall("likely", SUSPECTED[suspicion]);
  if (leadsTo === "log-in") return wall("sure", "its target is named like a log-in");
  const others = describeAlike(alike);
  if (alike >= LEAST_OTHERS_ALIKE) return wall(isHostTroubled ? "sure" : "likely", others);
  if (leadsTo === "back") return wall("likely", "its target is told the way back, as a log-in is");
  if (suspicion !== null) return wall(isHostTroubled ? "sure" : "likely", SUSPECTED[suspicion]);
  if (kept === null || translated !== null) return translated;
  if (failures >= LEAST_FAILURES)
    return wall("likely", "all of its text is another one, and the visits before have failed");
  if (alike > 0) return wall("possible", others);
  return kept.had >= LEAST_TEXT ? wall("possible", "all of its text is another one") : null;
}

export function describeAlike(alike: number): string {
  return `${alike} other page${alike === 1 ? "" : "s"} of the host answer${alike === 1 ? "s" : ""} alike`;
}

/**
 * Whether what a wall says is to be held still. `openMs`: the time since the first of the last visits in a row that
 * found one; null if this visit is the first, which holds it in any case. `visits`: of those that count as failed, and
 * this one.
 */
export function isHeld({ strength }: Wall, openMs: number | null, visits: number): boolean {
  const { visits: least, ms } = WAITS[strength];
  return openMs === null || openMs < ms || visits < least;
}
