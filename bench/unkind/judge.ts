/** Compares what a watch told of an unkind site with what its pages said. */
import type { ToldChange } from "../freshness/pipeline/order.ts";
import { type State, stateOn, type UnkindSite } from "./site.ts";

export interface Judged {
  /** States that stood long enough to be told, and that differ from what was told before. */
  changes: number;
  told: number;
  /** States of one interval that no answer showed: a visit came before and after them, or met an error. */
  unseen: number;
  notices: number;
  wrong: number;
  /** From the change to its notice, in intervals. */
  late: number[];
  /** What went wrong, a line each. */
  faults: string[];
}

const DAY_MS = 86_400_000;
/** Intervals. A state that is shorter may end before anybody looks, so it may be told or not. */
const LEAST_LASTING = 2;
/** A change so late before the end may be told after it: a lying ETag may hide one for four intervals. */
const LATE_INTERVALS = 5;

export function judge(
  site: UnkindSite,
  changes: readonly ToldChange[],
  {
    beginMs,
    days,
    everyDays,
    firstAt,
    shown,
  }: {
    beginMs: number;
    days: number;
    everyDays: number;
    firstAt: ReadonlyMap<string, number>;
    /** The days of the answers that showed a page, by its path. */
    shown: ReadonlyMap<string, readonly number[]>;
  },
): Judged {
  const judged: Judged = { changes: 0, told: 0, unseen: 0, notices: 0, wrong: 0, late: [], faults: [] };
  const byPath = Map.groupBy(changes, ({ url }) => new URL(url).pathname + new URL(url).search);
  const known = new Set(site.pages.map(({ path }) => path));
  for (const [path, notices] of byPath)
    if (!known.has(path)) {
      judged.notices += notices.length;
      judged.wrong += notices.length;
      judged.faults.push(`${path}: told, and no page of the site (${notices.map(({ kind }) => kind).join(", ")})`);
    }
  for (const { path, states } of site.pages) {
    const firstDay = ((firstAt.get(path) ?? beginMs) - beginMs) / DAY_MS;
    const told = (byPath.get(path) ?? []).map(({ at, kind, detail }) => ({
      day: (at - beginMs) / DAY_MS,
      kind,
      detail,
    }));
    judgePage(path, states, told, { firstDay, days, everyDays, shown: shown.get(path) ?? [] }, judged);
  }
  return judged;
}

type Told = Pick<ToldChange, "kind" | "detail"> & { day: number };

function judgePage(
  path: string,
  states: readonly State[],
  told: readonly Told[],
  { firstDay, days, everyDays, shown }: { firstDay: number; days: number; everyDays: number; shown: readonly number[] },
  judged: Judged,
): void {
  let last = stateOn(states, firstDay);
  let at = 0;
  const notice = () => {
    const { day, kind, detail } = told[at++] as Told;
    judged.notices += 1;
    const now = stateOn(states, day);
    const isKind = kind === "removed" ? now.says === null : kind !== "moved" && now.says !== null;
    if (now.says !== last.says && isKind) {
      last = now;
      return day;
    }
    judged.wrong += 1;
    judged.faults.push(
      `${path}: ${kind} on day ${day.toFixed(2)} is wrong; it says ${now.says} since ${now.from.toFixed(2)} (${detail})`,
    );
    return null;
  };
  for (const [index, state] of states.entries()) {
    const until = states[index + 1]?.from ?? days;
    const before = last;
    let toldAt: number | null = null;
    if (state.from <= firstDay) {
      while (at < told.length && (told[at]?.day ?? 0) < until) notice();
      continue;
    }
    while (at < told.length && (told[at]?.day ?? 0) < until) toldAt = notice() ?? toldAt;
    // Prices of each day last one interval: they count where a visit has seen them.
    const lasts = until - state.from;
    const isOfOneInterval = lasts === everyDays;
    if (state.says === before.says || (lasts < LEAST_LASTING * everyDays && toldAt === null && !isOfOneInterval))
      continue;
    if (isOfOneInterval && toldAt === null && !shown.some((day) => state.from <= day && day < until)) {
      judged.unseen += 1;
      continue;
    }
    if (index === states.length - 1 && lasts < LATE_INTERVALS * everyDays && toldAt === null) continue;
    judged.changes += 1;
    if (toldAt === null) {
      judged.faults.push(
        `${path}: "${state.says}" of day ${state.from.toFixed(2)} was not told until ${until.toFixed(2)}`,
      );
      continue;
    }
    judged.told += 1;
    judged.late.push((toldAt - state.from) / everyDays);
  }
}
