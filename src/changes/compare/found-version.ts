import type { ShownTexts } from "../noise/lasting-texts.ts";
import type { PageVersion } from "../page-version.ts";
import type { HostTemplate } from "../template/host-template.ts";
import type { ToldVersions } from "../told-versions.ts";
import type { View, ViewedPage } from "../view-version.ts";
import type { Comparison } from "./compare-versions.ts";

/** What a visit found, and what is judged of it. */

/** A page that is visited, and what is known of it. */
export interface VisitedPage extends Pick<ViewedPage, "url" | "storedAt"> {
  /** Milliseconds since the epoch. */
  now: number;
  /** The mean time between two visits of a page. */
  everyMs: number;
  /** What is known of the page's versions; null before the first one. */
  told: ToldVersions | null;
}

export interface FoundVersion extends VisitedPage {
  before: PageVersion;
  after: PageVersion;
  /** What a second look found, moments later; null if there can be none. Absent: it was not asked for. */
  look?: PageVersion | null;
}

export type Found = FoundVersion & Required<ViewedPage>;

export interface Judgement {
  comparison: Comparison;
  /** The content hashes of the two versions. */
  hashes: { before: string; after: string };
  /** The page is compared so from now on. */
  view: View;
  /** With what the visit taught: noise and rounds. */
  template: HostTemplate;
  /** Whether a second look would tell more. */
  wantsLook: boolean;
  /** The visits of the page for which the change waits at most; 0 if it is told now. */
  waits: number;
  /** The places where the second look found the same. */
  steady: readonly string[];
  /** Places of noise that are kept with the page: of order, or known without a look at it (`ToldVersions.noise`). */
  noise: readonly string[];
  /** The changes of most pages that it shows (`ToldVersions.everywhere`). */
  everywhere: readonly string[];
  /** Whether the two looks found two pages: what they say now may be either. */
  isTurn: boolean;
  /**
   * What the page shows where it differs from what is stored (`ToldVersions.shown`); absent where it has no noise. With
   * `isLasting`, from the visit's version.
   */
  shown?: ShownTexts;
  /** Whether what has changed stands at places of noise, so that the content hashes may be the same. */
  isLasting?: true;
}

/** A judgement that is not hashed yet. */
export type Judged = Omit<Judgement, "hashes" | "everywhere">;
