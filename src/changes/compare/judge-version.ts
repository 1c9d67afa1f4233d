import type { IgnoreRules } from "../ignore-rules.ts";
import type { PageVersion } from "../page-version.ts";
import { withYoungSlots } from "../template/compile-template.ts";
import type { HostTemplate } from "../template/host-template.ts";
import { learnVersions } from "../template/learn-versions.ts";
import { type View, viewOf } from "../view-version.ts";
import { type Comparison, compareVersions } from "./compare-versions.ts";

/** Decides whether a visit found a change, and lets its host's template learn from it. */

interface FoundVersion {
  before: PageVersion;
  after: PageVersion;
  /** Visits since `before` was found, this one included: at least 1. */
  visits: number;
  /** Whether `before` is the page's first version, from which nothing was learned yet. */
  isFirst: boolean;
  /** Whether the visit before this one found yet another version, which waited for this second look. */
  isSecondLook?: boolean;
}

export interface Judgement {
  comparison: Comparison;
  /** The view under which the versions were compared. */
  view: View;
  /** The template that was given, if there was nothing to learn. */
  template: HostTemplate;
  /**
   * Whether all that has changed stands in slots that may be volatile (`withYoungSlots`). So another visit should find
   * the same before the change is told.
   */
  needsSecondLook: boolean;
}

/**
 * A version that says something else is learned, and compared once more under what it taught: so the page that makes a
 * new design known is not told. A version that says the same is not learned, because it is not kept either, and would
 * be learned again at the next visit.
 */
export function judgeVersion(template: HostTemplate, rules: IgnoreRules, found: FoundVersion): Judgement {
  const { before, after, visits, isFirst, isSecondLook = false } = found;
  const view = viewOf(template, rules);
  const comparison = compareVersions(before, after, view);
  if (comparison.kind === "unchanged") return { comparison, view, template, needsSecondLook: false };
  const learned = learnVersions(template, [{ before, after, visits, isUnknown: isFirst, isSecondLook }]);
  const learnedView = viewOf(learned, rules);
  const young = compareVersions(before, after, viewOf(withYoungSlots(learned), rules));
  return {
    comparison: compareVersions(before, after, learnedView),
    view: learnedView,
    template: learned,
    needsSecondLook: young.kind === "unchanged",
  };
}
