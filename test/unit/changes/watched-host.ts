import { judgeVersion } from "../../../src/changes/compare/judge-version.ts";
import { NO_RULES } from "../../../src/changes/ignore-rules.ts";
import type { PageVersion } from "../../../src/changes/page-version.ts";
import { EMPTY_TEMPLATE, type HostTemplate } from "../../../src/changes/template/host-template.ts";
import { learnVersions } from "../../../src/changes/template/learn-versions.ts";
import { noteSame } from "../../../src/changes/template/shared-rounds.ts";
import {
  decideTelling,
  firstVersion,
  noteEverywhere,
  noteNoiseOfPage,
  noteShown,
  noteSteadyPlaces,
  noteStored,
  noteTurn,
  noteUnchanged,
  type ToldVersions,
  tellNow,
  withoutShown,
} from "../../../src/changes/told-versions.ts";
import { version } from "./version.ts";

/** A host whose pages are visited by the rules of a watch, in virtual days. */

export const DAY_MS = 86_400_000;
const SAMPLE = 25;

/** A request: when, and which of all. */
export interface Ask {
  day: number;
  number: number;
}

/** What a page says; null: the server answers that it has not changed. */
type Show = (page: number, ask: Ask) => PageVersion | null;

export interface Notice {
  page: number;
  day: number;
  /** The day to which the page went back. */
  backTo: number | null;
}

interface PageState {
  stored: PageVersion;
  storedAt: number;
  told: ToldVersions | null;
  dueAt: number;
  lastAt: number;
}

export class WatchedHost {
  template: HostTemplate;
  readonly notices: Notice[] = [];
  looks = 0;
  visits = 0;
  readonly #show: Show;
  readonly #pages: PageState[];
  readonly #everyDays: number;
  #number = 0;
  #today = { day: 0, looks: 0, visits: 0 };

  /** `show`: what a page says when it is asked. */
  constructor(pages: number, show: Show, everyDays = 1) {
    this.#show = show;
    this.#everyDays = everyDays;
    this.#pages = Array.from({ length: pages }, (_, at) => {
      const dueAt = everyDays * (1 + at / pages);
      return { stored: this.#ask(at, 0) ?? version([]), storedAt: 0, told: null, dueAt, lastAt: 0 };
    });
    this.template = learnVersions(
      EMPTY_TEMPLATE,
      this.#pages.slice(0, SAMPLE).map(({ stored }) => ({ before: null, after: stored })),
    );
  }

  /** Visits the pages until a day, and returns what was told: the pages and their days. */
  run(until: number): Notice[] {
    for (;;) {
      const next = this.#pages.reduce((least, page) => (page.dueAt < least.dueAt ? page : least));
      if (next.dueAt >= until) return this.notices;
      this.#visit(this.#pages.indexOf(next), next);
    }
  }

  #ask(page: number, day: number): PageVersion | null {
    this.#number += 1;
    return this.#show(page, { day, number: this.#number });
  }

  #visit(at: number, page: PageState): void {
    const day = page.dueAt;
    const now = day * DAY_MS;
    const whole = Math.floor(day);
    if (this.#today.day !== whole) this.#today = { day: whole, looks: 0, visits: 0 };
    this.#today.visits += 1;
    this.visits += 1;
    const after = this.#ask(at, day);
    const everyMs = this.#everyDays * DAY_MS;
    const { stored: before, storedAt } = page;
    const url = `https://a.test/${at}`;
    // Pages do not keep the order in which they were visited first.
    page.dueAt = day + this.#everyDays * (0.85 + 0.15 * ((this.visits * 0.618) % 1));
    if (after === null || JSON.stringify(before) === JSON.stringify(after)) {
      this.template = noteSame(this.template, { url, now, everyMs, storedAt }, after === null);
      if (page.told !== null) page.told = noteStored(page.told);
      page.lastAt = now;
      return;
    }
    const found = { url, storedAt, before, after, now, everyMs, told: page.told };
    let judged = judgeVersion(this.template, NO_RULES, found);
    if (judged.wantsLook) {
      const isLeft = this.#today.looks < Math.max(10, Math.floor(0.05 * this.#today.visits));
      if (isLeft) {
        this.#today.looks += 1;
        this.looks += 1;
      }
      judged = judgeVersion(this.template, NO_RULES, { ...found, look: isLeft ? this.#ask(at, day) : null });
    }
    this.template = judged.template;
    const { comparison, hashes, waits, steady, noise, everywhere, isTurn, shown, isLasting } = judged;
    const known = { ...(page.told ?? firstVersion(hashes.before)), told: hashes.before };
    const versions = noteShown(noteNoiseOfPage(known, noise, now), shown);
    if (comparison.kind === "unchanged") {
      const found = { hash: hashes.before, noise, everywhere, shown };
      page.told = isTurn ? noteTurn(versions, hashes.after) : noteUnchanged(page.told, found, now);
      page.lastAt = now;
      return;
    }
    const decided =
      isLasting === true
        ? { telling: "tell", versions: tellNow(versions, hashes.after, page.lastAt), backTo: null }
        : decideTelling(versions, { hash: hashes.after, waits, lastAt: page.lastAt });
    const { telling, backTo } = decided;
    page.told = noteEverywhere(decided.versions, telling === "tell" ? [] : everywhere);
    page.lastAt = now;
    if (telling === "hold") page.dueAt = day + Math.min(this.#everyDays, 0.5);
    if (telling !== "tell") return;
    const kept = noteSteadyPlaces(decided.versions, steady, now);
    page.told = isLasting === true ? noteShown(kept, shown) : withoutShown(kept);
    this.notices.push({ page: at, day, backTo: backTo === null ? null : backTo / DAY_MS });
    this.template = learnVersions(this.template, [{ before, after, isUnknown: storedAt === 0 && at >= SAMPLE }]);
    Object.assign(page, { stored: after, storedAt: now });
  }
}
