/** The groups of a crawl's pages, as they are stored. */

export interface TopicPage {
  url: string;
  title: string | null;
  /** The cosine of its text with the mean of the group, 0 to 1. */
  closeness: number;
  /** Of the last analysis; null before the first. */
  rank: number | null;
}

export interface Topic {
  /** The words that name it, the best first. */
  words: string[];
  pages: number;
  /** The pages that are nearest to the mean. */
  central: TopicPage[];
  /** The pages with the highest rank; empty before the first analysis. */
  ranked: TopicPage[];
}

export interface Topics {
  /** Largest first. */
  topics: Topic[];
  pages: number;
  /** Pages that are near to no group, or have no text. */
  ungrouped: number;
  /** Pages from which the groups were learned. */
  sampled: number;
}
