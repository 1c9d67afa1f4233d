/** What the visits since a change was first seen have found. */
export interface Round {
  /** When it was first seen: milliseconds since the epoch. */
  at: number;
  /** When it was last seen. */
  seen: number;
  /** The pages that show it, by the hashes of their URLs: at most 64. */
  pages: readonly string[];
  /** Visits of pages that might have shown it, and did not. */
  others: number;
  /** Visits of pages of which it is not known. Absent for none, and in rounds of earlier versions. */
  unread?: number;
  /** One of these pages: the beginning of its URL. Absent in rounds of earlier versions. */
  url?: string;
  had: string | null;
  share: number;
  /** Of what comes: the share of the pages that have it already. Absent for none, and in rounds of earlier versions. */
  has?: number;
  text: string;
  /** Whether it came to most pages at once, so that it is told of none. */
  isShared?: true;
  /** When that was known. Absent in rounds of earlier versions. */
  sharedAt?: number;
  /** How many rounds of the same change were before, each of single pages. Absent for none, as in earlier versions. */
  singles?: number;
  /** How many of these, since it last came to most pages, most are known not to have shown. Absent as `singles` is. */
  ofFew?: number;
  /** What of the template it stands beside (`SharedEdit.place`). */
  place?: string;
  /** Whether its place has been told that one page alone shows it. */
  isSingle?: true;
  /** Second looks that found it. Absent for none, and in rounds of earlier versions. */
  looks?: number;
}

export type RoundTable = Readonly<Record<string, Round>>;
