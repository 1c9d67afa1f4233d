/** What a crawl has learned of its subject, for people. */
import { lensOf } from "./topic-lens.ts";
import type { TopicState } from "./topic-state.ts";

export interface HostHarvest {
  host: string;
  /** Pages that were fetched. */
  pages: number;
  /** Their mean relevance, 0 to 1. */
  relevance: number;
}

/** The hosts that gave most: by the sum of their pages' relevances. */
export function bestHosts({ hosts }: TopicState, max: number): HostHarvest[] {
  return hosts
    .filter(([, pages]) => pages > 0)
    .sort((a, b) => b[2] - a[2] || (a[0] < b[0] ? -1 : 1))
    .slice(0, max)
    .map(([host, pages, relevance]) => ({ host, pages, relevance: Number((relevance / pages).toFixed(3)) }));
}

export interface SubjectTerm {
  /** A word, or a pair of characters. */
  term: string;
  /** 0 to 1: how much of a page's relevance it can make. */
  weight: number;
}

/** The terms that carry the subject now, strongest first. */
export function subjectTerms(state: TopicState, max: number): SubjectTerm[] {
  const { words, profile, profileShare } = lensOf(state);
  const weights = new Map<string, number>();
  for (const [term, weight] of words) weights.set(term, weight * (1 - profileShare));
  for (const [term, weight] of profile) weights.set(term, (weights.get(term) ?? 0) + weight * weight * profileShare);
  return [...weights]
    .map(([term, weight]) => ({ term, weight: Number(weight.toFixed(3)) }))
    .sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1))
    .slice(0, max);
}
