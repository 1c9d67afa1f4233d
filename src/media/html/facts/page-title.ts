import { probabilityOf, readTrees } from "../article/boosted-trees.ts";
import type { ReadFact } from "./read-fact.ts";
import { ruleOutHeadings } from "./rule-out-headings.ts";
import { isWhole, listCandidates, type TitleCandidate, type TitleFacts } from "./title-candidates.ts";
import { FEATURES, TitleFeatures } from "./title-features.ts";
import { TITLE_MODEL } from "./title-model.ts";
import { withoutSite } from "./title-parts.ts";

/**
 * Chooses the title of a page: what people would call it, which is mostly its headline without the name of the site. A
 * `title` element is written for a list of search results, and may say it in other words. Where the places of a title
 * differ, a model that was trained on pages (bench/train-titles.ts) chooses.
 */

const MODEL = readTrees(TITLE_MODEL);

/**
 * Returns null if the page has no title. One without a `title` element is called by the first title that it has, as it
 * stands: versions of such a page are compared by it (changes/page-version.ts).
 */
export function readTitle(facts: TitleFacts): ReadFact | null {
  const chosen = titleChoice(facts);
  return Array.isArray(chosen) ? mostLikely(facts, chosen) : chosen;
}

/** The title, or the candidates of which the model chooses one. */
export function titleChoice(facts: TitleFacts): ReadFact | null | TitleCandidate[] {
  const { element, work, site, headings } = facts;
  if (element === null) return firstOf(facts);
  const candidates = ruleOutHeadings(listCandidates(facts), headings);
  const isStated = candidates.some(({ spans }) => isWhole(spans.h1) && (spans.element ?? spans.og ?? spans.work));
  if (work !== null && !isStated) return work;
  const isAlone = !candidates.some(({ spans }) => spans.h1 ?? spans.og ?? spans.work);
  return isAlone ? { value: withoutSite(element, site), source: "title" } : candidates;
}

function mostLikely(facts: TitleFacts, candidates: readonly TitleCandidate[]): ReadFact | null {
  const features = new TitleFeatures(facts, candidates);
  const row = new Float32Array(FEATURES.length);
  let best: ReadFact | null = null;
  let most = -1;
  for (const candidate of candidates) {
    features.write(candidate, row);
    const probability = probabilityOf(MODEL, row);
    if (probability <= most) continue;
    best = { value: candidate.value, source: candidate.source };
    most = probability;
  }
  return best;
}

function firstOf({ openGraph, twitter, h1 }: TitleFacts): ReadFact | null {
  if (openGraph !== null) return { value: openGraph, source: "meta og:title" };
  if (twitter !== null) return { value: twitter, source: "meta twitter:title" };
  return h1 === null ? null : { value: h1, source: "h1" };
}
