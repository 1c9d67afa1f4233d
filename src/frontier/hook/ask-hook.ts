import { logError, logWarning } from "../../core/log.ts";
import type { Discovery } from "../../crawl/crawl.ts";
import { keepsArchive } from "../../crawl/crawl-options.ts";
import type { HookPoint, OnFound, OnRead, ReadPage } from "../../crawl/subject/hook.ts";
import type { FieldValues } from "../../media/html/fields/field-rule.ts";
import { readFields } from "../../store/mirror/kept-fields.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { type Attempt, droppedAttempt, hookFailedAttempt } from "../attempt.ts";
import { dispatch } from "../batch/message.ts";
import type { Gathering } from "../commit/gathering.ts";
import type { HookDeps } from "../needs.ts";
import { settleVisit } from "../visits/settle-visit.ts";
import { type PageWork, visitOf, type Work } from "../work.ts";
import { type HookCaller, HookProblem } from "./hook-caller.ts";
import { askInPortions, type FailedPortion, MIN_ITEM_WEIGHT, PORTION } from "./hook-portions.ts";
import { keepBefore, tellHookFields } from "./hook-visit.ts";

/**
 * What the installation's hook decides about a batch. A call that fails for several pages says nothing about any of
 * them, so they are sent again, and the hook is asked about each alone. A page for which that fails too is settled as
 * errored.
 */

/** Before pages come again whose call failed. */
const AGAIN_MS = 5_000;
/** Batches of a crawl that may fail in a row. Then it is paused. */
export const MAX_FAILED_BATCHES = 10;

/** The hook failed on what some pages led to, so that they cannot be committed. */
export class HookFailure extends Error {
  readonly works: readonly Work[];

  constructor(works: readonly Work[], problem: HookProblem) {
    super(problem.message);
    this.works = works;
  }
}

interface Result {
  crawl: string;
  hasSucceeded: boolean;
  problem: string | null;
}

/** The hook of one batch. */
export class BatchHook {
  readonly #caller: HookCaller;
  readonly #deps: HookDeps;
  /** For each crawl and point: whether a call succeeded, and what the last failure was. */
  readonly #results = new Map<string, Result>();
  /** What it has answered about URLs, by crawl and URL: a commit that fails through the hook is made again. */
  readonly #found = new Map<string, OnFound>();
  /** One commit at a time asks about URLs, so that each knows how many calls are left. */
  #asking: Promise<unknown> = Promise.resolve();

  constructor(caller: HookCaller, deps: HookDeps) {
    this.#caller = caller;
    this.#deps = deps;
  }

  /** The pages that may be fetched, and the attempts of those that may not. */
  async askDue(works: readonly Work[]): Promise<{ going: Work[]; decided: Attempt[] }> {
    const now = this.#deps.clock.now();
    const asked = await this.#ask("pagesDue", works.filter(isNewWork), ownWork, (pages) =>
      this.#caller.pagesDue(pages.map((work) => ({ ...placeOf(work), attempts: work.row.attempts }))),
    );
    const going: Work[] = works.filter((work) => !isNewWork(work));
    const decided: Attempt[] = [];
    for (const [work, { drop }] of asked.answers) {
      if (drop === undefined) going.push(work);
      else decided.push(droppedAttempt(work, drop, now));
    }
    decided.push(...(await this.#giveUpOrSendAgain(asked.failures, now)));
    return { going, decided };
  }

  /** The attempts to settle. Visits that found nothing new, assets, and what is no page stay as they are. */
  async askRead(attempts: readonly Attempt[]): Promise<Attempt[]> {
    const read = attempts.filter(isNewPage);
    if (read.length === 0) return [...attempts];
    const asked = await this.#ask(
      "pagesRead",
      read,
      ({ work }) => work,
      (pages) => this.#caller.pagesRead(pages.map(toReadPage)),
    );
    const failed = new Set(asked.failures.flatMap(({ items }) => items));
    const ended = await this.#giveUpOrSendAgain(
      asked.failures.map(({ items, problem }) => ({ items: items.map(({ work }) => work), problem })),
      this.#deps.clock.now(),
    );
    const left = attempts.filter((attempt) => !failed.has(attempt));
    await this.#removeDropped(asked.answers);
    return [...(await this.#applyAll(left, asked.answers)), ...ended];
  }

  /** One after the other, so that the large fields of one version are in memory. */
  async #applyAll(attempts: readonly Attempt[], answers: ReadonlyMap<Attempt, OnRead>): Promise<Attempt[]> {
    const applied: Attempt[] = [];
    for (const attempt of attempts) {
      const verdict = answers.get(attempt);
      if (verdict === undefined) {
        applied.push(attempt);
        continue;
      }
      try {
        applied.push(applyVerdict(attempt, verdict, await this.#fieldsBefore(attempt, verdict)));
      } catch (error) {
        // What cannot be read is no answer: the visit comes again, and at last has failed.
        logError("fields-not-read", error, { crawl: attempt.work.row.crawl });
        const failure = { items: [attempt.work], problem: new HookProblem("the fields before could not be read") };
        applied.push(...(await this.#giveUpOrSendAgain([failure], this.#deps.clock.now())));
      }
    }
    return applied;
  }

  /** The fields of the version before, as far as the verdict names them; null if there is none. */
  async #fieldsBefore({ work }: Attempt, { fields = {} }: OnRead): Promise<FieldValues | null> {
    const before = work.kind === "page" ? (work.row.visit?.fields ?? null) : null;
    if (before === null) return null;
    return (await readFields(work.row.crawl, before, this.#deps.packs, Object.keys(fields))).values;
  }

  /**
   * The discoveries that are left, with their priorities; those that are refused are counted. Throws HookFailure for
   * pages that cannot be committed.
   */
  async askFound(
    found: readonly Discovery[],
    attempts: readonly Attempt[],
    gathering: Gathering,
  ): Promise<Discovery[]> {
    const mine = this.#asking.then(() => this.#askFound(found, attempts, gathering));
    this.#asking = mine.catch(() => undefined);
    return mine;
  }

  async #askFound(
    found: readonly Discovery[],
    attempts: readonly Attempt[],
    gathering: Gathering,
  ): Promise<Discovery[]> {
    const works = new Map(attempts.map(({ work }) => [work.row.url, work]));
    const workOf = ({ via }: Discovery) => works.get(via ?? "") ?? null;
    const keyOf = ({ url }: Discovery) => `${gathering.context.crawl.id} ${url}`;
    const pages = found.filter(({ kind }) => kind === "page");
    const open = pages.filter((discovery) => !this.#found.has(keyOf(discovery)));
    const { answers, failed } = await this.#askAboutFound(open, workOf, gathering.context.crawl.id);
    for (const [discovery, verdict] of answers) this.#found.set(keyOf(discovery), verdict);
    this.#settleFailed(failed, pages, workOf, gathering);
    return found.flatMap((discovery) => {
      if (!gathering.found.has(discovery.url)) return [];
      const { refuse, priority } = this.#found.get(keyOf(discovery)) ?? {};
      if (refuse === undefined) return priority === undefined ? discovery : { ...discovery, priority };
      refuseFound(discovery, workOf(discovery), "hook", gathering);
      return [];
    });
  }

  /** Those of a document that is asked about alone are in calls of their own. */
  async #askAboutFound(
    pages: readonly Discovery[],
    workOf: (discovery: Discovery) => Work | null,
    crawl: string,
  ): Promise<{ answers: Map<Discovery, OnFound>; failed: FailedPortion<Discovery>[] }> {
    const groups = [...Map.groupBy(pages, (discovery) => aloneOf(workOf(discovery))).values()];
    const answers = new Map<Discovery, OnFound>();
    const failed: FailedPortion<Discovery>[] = [];
    for (const [i, group] of groups.entries()) {
      const left = this.#deps.invocations.left - (groups.length - 1 - i);
      const asked = await askInPortions(group, weightOf, Math.max(1, left), (urls) =>
        this.#call("urlsFound", [crawl], urls.length, () =>
          this.#caller.urlsFound(urls.map(({ url, via, depth, priority }) => ({ crawl, url, via, depth, priority }))),
        ),
      );
      for (const [discovery, verdict] of asked.answers) answers.set(discovery, verdict);
      failed.push(...asked.failed);
    }
    return { answers, failed };
  }

  /**
   * URLs on which the hook failed twice are refused where their document has more than one call may carry, and the hook
   * has answered about others of it. All other documents come again, or end: throws HookFailure.
   */
  #settleFailed(
    failed: readonly FailedPortion<Discovery>[],
    pages: readonly Discovery[],
    workOf: (discovery: Discovery) => Work | null,
    gathering: Gathering,
  ): void {
    const lost = failed.flatMap(({ items, ...how }) => items.map((discovery) => ({ discovery, ...how })));
    if (lost.length === 0) return;
    const asked = Map.groupBy(pages, workOf);
    const lostOf = Map.groupBy(lost, ({ discovery }) => workOf(discovery));
    const broken: Work[] = [];
    for (const [work, urls] of lostOf) {
      const all = asked.get(work) ?? [];
      const isLarge = all.reduce((sum, discovery) => sum + weightOf(discovery), 0) > PORTION;
      const isAsked = work?.hint.askAlone === true || urls.every(({ isSecond }) => isSecond);
      if (!isLarge || !isAsked || urls.length === all.length) {
        if (work !== null) broken.push(work);
        continue;
      }
      for (const { discovery } of urls) refuseFound(discovery, work, "hook-failed", gathering);
      const [first] = urls;
      if (work === null || first === undefined) continue;
      const count = urls.length.toLocaleString("en");
      gathering.notes.set(work.row.url, `; the hook failed on ${count} of its URLs: ${first.problem.message}`);
    }
    const [first] = lost;
    if (first !== undefined && (broken.length > 0 || lostOf.has(null))) throw new HookFailure(broken, first.problem);
  }

  /** The attempts that are left of a group whose commit failed through the hook, and those that gave up. */
  async withoutFailed(attempts: readonly Attempt[], { works, message }: HookFailure): Promise<Attempt[]> {
    const failed = new Set(works);
    const ended = await this.#giveUpOrSendAgain(
      [{ items: works, problem: new HookProblem(message) }],
      this.#deps.clock.now(),
    );
    return [...attempts.filter(({ work }) => !failed.has(work)), ...ended];
  }

  /**
   * Counts the batch for its crawls. It failed for a crawl if all calls of a point did. Pauses a crawl of which so many
   * failed in a row that the hook must be broken.
   */
  async settle(works: readonly Work[]): Promise<void> {
    const { ledger, hookFailures, clock } = this.#deps;
    const before = new Map(works.map(({ context: { crawl } }) => [crawl.id, crawl.hookFailures]));
    const results = [...this.#results.values()];
    const failed = new Map(
      results.flatMap(({ crawl, hasSucceeded, problem }) => (hasSucceeded ? [] : [[crawl, problem]])),
    );
    const well = [...before].flatMap(([id, failures]) => (failures > 0 && !failed.has(id) ? [id] : []));
    if (well.length > 0) await hookFailures.clear(well);
    if (failed.size === 0) return;
    const counts = await hookFailures.count([...failed.keys()]);
    for (const [id, problem] of failed) {
      if ((counts.get(id) ?? 0) < MAX_FAILED_BATCHES) continue;
      const reason = `the hook failed in ${MAX_FAILED_BATCHES} batches in a row: ${problem}. Mend it, and resume the crawl`;
      if (await ledger.pause(id, clock.now(), { reason })) await ledger.setWaitingFor(id, reason);
      await hookFailures.clear([id]);
    }
  }

  /**
   * Asks about the items in one call, and about each that is to be asked alone in one of its own. An item that no work
   * led to goes with the others.
   */
  async #ask<Item, Verdict>(
    point: HookPoint,
    items: readonly Item[],
    workOf: (item: Item) => Work | null,
    call: (items: Item[]) => Promise<Verdict[]>,
  ): Promise<{ answers: Map<Item, Verdict>; failures: { items: Item[]; problem: HookProblem }[] }> {
    const groups = Map.groupBy(items, (item) => aloneOf(workOf(item)));
    const answers = new Map<Item, Verdict>();
    const failures: { items: Item[]; problem: HookProblem }[] = [];
    for (const [, group] of groups) {
      const crawls = [...new Set(group.flatMap((item) => workOf(item)?.row.crawl ?? []))];
      const [first] = group;
      const work = first === undefined ? null : workOf(first);
      // A page of a watch that is odd at each visit says nothing about the hook.
      const isOneVisit = group.length === 1 && work !== null && visitOf(work) !== null;
      const verdicts = await this.#call(point, crawls, group.length, () => call(group), isOneVisit);
      if (verdicts instanceof HookProblem) failures.push({ items: group, problem: verdicts });
      else for (const [i, item] of group.entries()) answers.set(item, verdicts[i] as Verdict);
    }
    return { answers, failures };
  }

  /** One call about items of these crawls. Returns the problem with which it failed. */
  async #call<Verdict>(
    point: HookPoint,
    crawls: readonly string[],
    items: number,
    call: () => Promise<Verdict[]>,
    isOneVisit = false,
  ): Promise<Verdict[] | HookProblem> {
    if (this.#caller.calls(point)) this.#deps.invocations.start();
    try {
      const verdicts = await call();
      for (const crawl of crawls) this.#note(point, crawl, null);
      return verdicts;
    } catch (problem) {
      if (!(problem instanceof HookProblem)) throw problem;
      logError("hook-failed", problem, { items });
      if (!isOneVisit) for (const crawl of crawls) this.#note(point, crawl, problem.message);
      return problem;
    }
  }

  /** With `store: files`, a page is in the mirror already. */
  async #removeDropped(answers: Map<Attempt, OnRead>): Promise<void> {
    const files = [...answers].flatMap(([{ work }, { drop }]) =>
      drop !== undefined && visitOf(work) === null && !keepsArchive(work.context.crawl.options) ? [work.row] : [],
    );
    for (const [crawl, rows] of Map.groupBy(files, ({ crawl }) => crawl))
      await this.#deps.mirror.remove(
        crawl,
        rows.map(({ url }) => url),
      );
  }

  #note(point: HookPoint, crawl: string, problem: string | null): void {
    const key = `${crawl} ${point}`;
    const known = this.#results.get(key) ?? { crawl, hasSucceeded: false, problem: null };
    const hasSucceeded = known.hasSucceeded || problem === null;
    this.#results.set(key, { crawl, hasSucceeded, problem: problem ?? known.problem });
  }

  /** The attempts of those that had been asked alone. The others are sent again. */
  async #giveUpOrSendAgain(
    failures: readonly { items: readonly Work[]; problem: HookProblem }[],
    now: number,
  ): Promise<Attempt[]> {
    const all = failures.flatMap(({ items, problem }) => items.map((work) => ({ work, problem })));
    const { over = [], again = [] } = Object.groupBy(all, ({ work: { hint } }) => (hint.askAlone ? "over" : "again"));
    await dispatch(
      this.#deps,
      again.map(({ work }) => ({ ...work.hint, askAlone: true, delayMs: AGAIN_MS })),
    );
    if (again.length > 0) logWarning("hook-asked-again", { urls: again.length });
    // A visit on which the hook fails has failed: what is stored stays.
    return Promise.all(
      over.map(({ work, problem }) => settleVisit(hookFailedAttempt(work, problem.message, now), this.#deps)),
    );
  }
}

/** A page that has not been settled yet. */
function isNewWork(work: Work): work is PageWork {
  return work.kind === "page" && work.row.kind === "page" && visitOf(work) === null;
}

/** The work if the hook is asked about it alone. */
function aloneOf(work: Work | null): Work | null {
  return work?.hint.askAlone === true ? work : null;
}

/** What a URL takes in a call, in characters. */
function weightOf({ url, via }: Discovery): number {
  return Math.max(MIN_ITEM_WEIGHT, url.length + (via?.length ?? 0));
}

function refuseFound(
  { url, via }: Discovery,
  work: Work | null,
  why: "hook" | "hook-failed",
  gathering: Gathering,
): void {
  gathering.found.delete(url);
  gathering.refuse(via ?? "", work?.kind === "sitemap" ? "sitemaps" : "urls", why, [url]);
}

function ownWork(work: Work): Work {
  return work;
}

function placeOf({ row: { crawl, url, via, depth } }: PageWork) {
  return { crawl, url, via, depth };
}

/** A page or a version of it that is to be stored, and about which the hook has not been asked yet. */
function isNewPage({ outcome, hookText }: Attempt): boolean {
  return hookText !== null && outcome.status === "completed";
}

function toReadPage({ work, outcome, hookText, links }: Attempt): ReadPage {
  const { httpStatus, contentType, title, language = null } = outcome;
  return { ...placeOf(work as PageWork), httpStatus, contentType, title, language, text: hookText ?? "", links };
}

/** Links that are no URL are left out, as those of a page are. `before`: the fields of the version before. */
function applyVerdict(attempt: Attempt, verdict: OnRead, before: FieldValues | null): Attempt {
  const { drop, fields, links = [] } = verdict;
  const added = links.flatMap((link) => canonicalize(link, attempt.work.row.url) ?? []);
  const all = { ...attempt, hookText: null, links: [...new Set([...attempt.links, ...added])] };
  const { visit, work } = attempt;
  const known = work.kind === "page" ? work.row.visit : null;
  if (drop !== undefined && visit !== null && known !== null) return keepBefore(attempt, visit, known, all.links);
  if (drop !== undefined) {
    const { outcome, ...dropped } = droppedAttempt(attempt.work, drop, attempt.outcome.fetchedAt);
    const { httpStatus, title, contentType, durationMs } = attempt.outcome;
    return {
      ...dropped,
      links: all.links,
      topic: attempt.topic,
      sitemaps: attempt.sitemaps,
      feeds: attempt.feeds,
      outcome: { ...outcome, httpStatus, title, contentType, durationMs },
    };
  }
  if (fields === undefined) return all;
  const outcome = { ...all.outcome, fields: { ...all.outcome.fields, ...fields } };
  return { ...all, outcome, visit: visit === null ? null : tellHookFields(visit, before, fields) };
}
