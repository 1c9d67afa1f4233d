/** What a run of the pipeline says of freshness, beside what the site's history says. */
import { costUsd } from "../../src/crawl/bounds/usage.ts";
import type { SettledVisit, WatchRun } from "./pipeline/order.ts";
import { hasValidators, pathOf, versionOn } from "./serve-site.ts";
import { type Freshness, LAST_INTERVALS } from "./simulate.ts";
import { type TextPage, type TextSite, truthOf } from "./text-site.ts";

export interface WatchMeasures extends Freshness {
  /** The share of notices of a page that says what it said at the notice before. */
  falseShare: number;
  /** Of the visits to a page that says something else than at the visit before, the share that was told. */
  toldShare: number;
  /** The share of 304 among visits to unchanged pages with validators. */
  notModifiedShare: number;
  /** Of a million visits, without CPU time. */
  usdPerMillion: number;
  rowsRead: number;
  rowsWritten: number;
  /** Of a heartbeat. */
  beatRows: { read: number; written: number };
  seconds: number;
}

const DAY_MS = 86_400_000;

/** Only the pages of the history count for the delay; the list of them counts for the budget. */
export function measureWatch(site: TextSite, run: WatchRun, everyDays: number): WatchMeasures {
  const dayOf = (at: number) => (at - site.beginMs) / DAY_MS;
  const firstDays = new Map(run.fetched.toReversed().map(({ url, at }) => [new URL(url).pathname, dayOf(at)]));
  const visitsByPath = Map.groupBy(run.visits, ({ url }) => new URL(url).pathname);
  const found = {
    ...{ all: 0, changes: 0, delayDays: 0, missed: 0, notices: 0, falseNotices: 0, seen: 0, told: 0 },
    ...{ unchanged: 0, notModified: 0, pageDays: 0, longest: 0 },
  };
  const countedDay = site.days - LAST_INTERVALS * everyDays;
  for (const [path, firstDay] of firstDays) {
    found.pageDays += site.days - firstDay;
    const days = [firstDay, ...(visitsByPath.get(path) ?? []).map(({ at }) => dayOf(at)), site.days];
    for (const [i, day] of days.slice(1).entries()) found.longest = Math.max(found.longest, day - (days[i] ?? 0));
  }
  for (const [index, page] of site.pages.entries()) {
    const firstDay = firstDays.get(pathOf(page));
    if (firstDay === undefined) continue;
    const visits = (visitsByPath.get(pathOf(page)) ?? []).map((visit) => ({ ...visit, day: dayOf(visit.at) }));
    measurePage(page, firstDay, visits, countedDay, found);
    if (hasValidators(index)) countNotModified(page, firstDay, visits, found);
  }
  const visits = run.visits.length;
  const share = (part: number, all: number) => part / Math.max(all, 1);
  const { beats, usage } = run;
  return {
    delayDays: share(found.delayDays, found.changes),
    missedShare: share(found.missed, found.all),
    visits,
    budgetShare: visits / (found.pageDays / everyDays),
    longestIntervals: found.longest / everyDays,
    falseShare: share(found.falseNotices, found.notices),
    toldShare: share(found.told, found.seen),
    notModifiedShare: share(found.notModified, found.unchanged),
    usdPerMillion: 1e6 * share(costUsd(usage), visits),
    rowsRead: share(usage.ledgerRowsRead ?? 0, visits),
    rowsWritten: share((usage.ledgerRowsWritten ?? 0) + (usage.gateRowsWritten ?? 0), visits),
    beatRows: {
      read: share(beats.usage.ledgerRowsRead ?? 0, beats.count),
      written: share(beats.usage.ledgerRowsWritten ?? 0, beats.count),
    },
    seconds: run.seconds,
  };
}

interface Found {
  /** Changes since the first fetch. */
  all: number;
  /** Those that visits settled, but for the last intervals. */
  changes: number;
  delayDays: number;
  missed: number;
  notices: number;
  falseNotices: number;
  /** Visits to a page that says something else than at the visit before. */
  seen: number;
  told: number;
}

type DatedVisit = SettledVisit & { day: number };

function measurePage(
  page: TextPage,
  firstDay: number,
  visits: readonly DatedVisit[],
  countedDay: number,
  found: Found,
): void {
  let settled = versionOn(page, firstDay) ?? 0;
  let toldTruth = truthOf(page.textAt(settled));
  let lastTruth = toldTruth;
  let isOpen = false;
  found.all += page.changeDays.length - settled;
  for (const { day, result, change } of visits) {
    const version = versionOn(page, day);
    if (version === null) {
      found.missed += page.changeDays.length - settled;
      break;
    }
    const truth = truthOf(page.textAt(version));
    const differs = truth !== toldTruth;
    const isSettled = result === "changed" || (!differs && (result === "same" || result === "not-modified"));
    if (change === "changed") {
      found.notices += 1;
      if (!differs) found.falseNotices += 1;
    }
    if (truth !== lastTruth) {
      found.seen += 1;
      if (!differs) found.told += 1;
      isOpen = differs;
      lastTruth = truth;
    }
    if (!isSettled) continue;
    // A former version that is back is told when it stays, at a later visit.
    if (isOpen) found.told += 1;
    isOpen = false;
    for (const at of page.changeDays.subarray(settled, version)) {
      if (at > countedDay) continue;
      found.changes += 1;
      found.delayDays += day - at;
    }
    found.missed += Math.max(version - settled - 1, 0);
    settled = version;
    toldTruth = truth;
  }
}

function countNotModified(
  page: TextPage,
  firstDay: number,
  visits: readonly DatedVisit[],
  found: { unchanged: number; notModified: number },
): void {
  let before = versionOn(page, firstDay);
  for (const { day, result } of visits) {
    const version = versionOn(page, day);
    if (version === null) return;
    if (version === before) {
      found.unchanged += 1;
      if (result === "not-modified") found.notModified += 1;
    }
    before = version;
  }
}
