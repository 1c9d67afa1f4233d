import { HOUR_MS } from "../../core/clock.ts";
import type { IgnoreRules } from "../ignore-rules.ts";
import { alignLooks } from "../noise/align-looks.ts";
import { noiseOn } from "../noise/compile-noise.ts";
import { findNoise } from "../noise/find-noise.ts";
import { noteShownTexts, type Shown } from "../noise/lasting-texts.ts";
import { renew } from "../noise/noise-place.ts";
import { hashOf, type PageVersion } from "../page-version.ts";
import type { HostTemplate } from "../template/host-template.ts";
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
  const shown = noteShownTexts(told?.shown, visitsBefore(found), found.before, after, seen);
  const { texts, lasting, wantsLook: isUnsure } = shown;
  const noted = { ...judged, template: seen === null ? template : renewNoise(judged, found, seen), shown: texts };
  if (comparison.kind === "changed") return noted;
  if (isUnsure && look === undefined) return { ...noted, wantsLook: true };
  return lasting === null ? noted : judgeLasting(noted, { ...shown, lasting }, rules, found);
}

/** Renews the places of noise where the two looks differ: nothing need test whether these are noise still. */
function renewNoise({ template, view }: Judged, { url, after, now }: Found, look: PageVersion): HostTemplate {
  const { noise = {} } = template;
  const isKnown = new Set(noiseOn(noise, hashOf(url)));
  const places = findNoise(after, alignLooks(after, look), view.template).filter(({ place }) => isKnown.has(place));
  return { ...template, noise: renew(noise, places, now) };
}

/** About so many visits have found what is stored, before one of those in a row now found another version. */
function visitsBefore({ told, storedAt, now, everyMs }: Found): number {
  if (storedAt === null) return 0;
  const held = told?.back == null ? 0 : (told.back.all ?? told.back.visits);
  return Math.max(0, Math.round((now - storedAt) / Math.max(everyMs, HOUR_MS)) - 1 - held);
}

/** `lasting`: the stored version with what has changed at places of noise. Noise hides nothing of it. */
function judgeLasting(
  judged: Judged,
  { lasting, further, next }: Shown & { lasting: PageVersion },
  rules: IgnoreRules,
  found: Found,
): Judged {
  const { template } = judged;
  const view = viewOf({ ...template, noise: {} }, rules, { ...found, noise: [] });
  const pair = viewPair(found.before, lasting, view);
  const comparison = comparePair(found.before, lasting, pair, view);
  if (comparison.kind === "unchanged" || comparison.suspicion !== null) return judged;
  const sorted = sortEdits(comparison, pair, template, found);
  const decided = decide({ ...judged, comparison, view }, sorted, { ...found, after: lasting }, { differing: [] });
  // What waits for other pages is found again at the next visit.
  const isTold = decided.comparison.kind === "changed" && decided.waits <= further;
  return isTold ? { ...decided, waits: 0, shown: next, isLasting: true } : { ...judged, template: decided.template };
}
