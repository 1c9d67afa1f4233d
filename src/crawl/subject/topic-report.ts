import type { TopicState } from "../../topic/course/topic-state.ts";
import type { HostHarvest, SubjectTerm } from "../../topic/course/topic-views.ts";

/** How well a crawl with a subject does, and what it has learned. */

export interface TopicReport {
  /** Pages that taught it something, and those of them that were relevant. */
  pages: number;
  relevant: number;
  /** The same of the last pages, at most 200. */
  recent: { pages: number; relevant: number };
  /** The mean relevance of each `pagesPerPoint` pages, in the order of the crawl. */
  harvest: { pagesPerPoint: number; points: number[] };
  hosts: HostHarvest[];
  terms: SubjectTerm[];
  weights: TopicState["weights"];
  /** Example pages that are still to be read. */
  openExamples: string[];
  best: RelevantPage[];
  doubtful: RelevantPage[];
}

/** A page and how relevant it is to its crawl's subject. */
export interface RelevantPage {
  url: string;
  title: string | null;
  relevance: number;
}
