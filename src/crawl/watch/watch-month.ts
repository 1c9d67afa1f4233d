import type { HeldByHost } from "../../changes/held-back.ts";
import type { ChangeKind, PageTrouble } from "./watch.ts";

/** The last thirty days of a watch at a glance. Times are milliseconds since the Unix epoch. */

export const MONTH_DAYS = 30;

export interface WatchMonth {
  /** The beginning of its first day (UTC). */
  from: number;
  to: number;
  /** Changes by day and kind. A day without changes has none. */
  days: DayCount[];
  /** The pages with most changes. */
  pages: ChangedPage[];
  /** The number of all pages that changed. */
  changedPages: number;
  hosts: MonthTrouble[];
  troubledPages: PageTrouble[];
  held: HeldByHost[];
  /** Hosts whose tables were not read, because there are too many. */
  isHeldCut: boolean;
}

/** `day`: days since 1970. */
export interface DayCount {
  day: number;
  kind: ChangeKind;
  count: number;
}

/** A page that changed, with its last change. */
export interface ChangedPage {
  url: string;
  title: string | null;
  changes: number;
  seq: number;
  kind: ChangeKind;
  at: number;
  detail: string | null;
}

/** The last trouble of a host. */
export interface MonthTrouble {
  host: string;
  since: number;
  /** The last day of it: its beginning. */
  lastAt: number;
  isNow: boolean;
  why: string | null;
}
