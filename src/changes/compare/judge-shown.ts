import { HOUR_MS } from "../../core/clock.ts";
import type { IgnoreRules } from "../ignore-rules.ts";
import { noiseOn } from "../noise/compile-noise.ts";
import { noteShownTexts } from "../noise/lasting-texts.ts";
import { hashOf, type PageVersion } from "../page-version.ts";
import { viewOf, viewPair } from "../view-version.ts";
import { comparePair } from "./compare-versions.ts";
import { decide } from "./decide-edits.ts";
import type { Found, Judged } from "./found-version.ts";
import { isOtherPage } from "./judge-look.ts";
import { sortEdits } from "./sort-edits.ts";

/** Judges what a page shows at its places of noise, once nothing else of it has changed (noise/lasting-texts.ts). */
export function judgeShown(judged: Judged, rules: IgnoreRules, found: Found): Judged {
  const { comparison, view, template, wantsLook, noise } = judged;
  const { url, after, look, told } = found;
  const isError = comparison.kind === "changed" && comparison.suspicion !== null;
  if (wantsLook || isError) return judged;
  if ([...noiseOn(template.noise ?? {}, hashOf(url)), ...found.noise, ...noise].length === 0) return judged;
  const seen = look == null || isOtherPage(after, look, view) ? null : look;
  const {
    texts,
    lasting,
    wantsLook: isUnsure,
  } = noteShownTexts(told?.shown, visitsBefore(found), found.before, after, seen);
  const noted = { ...judged, shown: texts };
  if (comparison.kind === "changed") return noted;
  if (isUnsure && look === undefined) return { ...noted, wantsLook: true };
  return lasting === null ? noted : judgeLasting(noted, lasting, rules, found);
}

/** The visits since the version was stored, as far as none has found another one. */
function visitsBefore({ told, storedAt, now, everyMs }: Found): number {
  if (told?.back != null || storedAt === null) return 0;
  return Math.max(0, Math.round((now - storedAt) / Math.max(everyMs, HOUR_MS)) - 1);
}

/** `lasting`: the stored version with what has changed at places of noise. Noise hides nothing of it. */
function judgeLasting(judged: Judged, lasting: PageVersion, rules: IgnoreRules, found: Found): Judged {
  const { template } = judged;
  const view = viewOf({ ...template, noise: {} }, rules, { ...found, noise: [] });
  const pair = viewPair(found.before, lasting, view);
  const comparison = comparePair(found.before, lasting, pair, view);
  if (comparison.kind === "unchanged" || comparison.suspicion !== null) return judged;
  const sorted = sortEdits(comparison, pair, template, found);
  const decided = decide({ ...judged, comparison, view }, sorted, { ...found, after: lasting }, { differing: [] });
  const isTold = decided.comparison.kind === "changed" && decided.waits === 0;
  // What waits for other pages is found again at the next visit.
  return isTold ? { ...decided, isLasting: true } : { ...judged, template: decided.template };
}
