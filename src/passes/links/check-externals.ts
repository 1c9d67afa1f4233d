import { packJson, unpackJson } from "../../core/formats/gzip-json.ts";
import { count } from "../../core/shown-values.ts";
import {
  describeExternals,
  type ExternalAnswer,
  type ExternalAnswers,
  type ExternalCounts,
  judgeExternal,
  VerdictCounts,
} from "../../graph/external-answers.ts";
import type { BrokenExternal } from "../../graph/problems/site-facts.ts";
import { hostKey } from "../../url/host-key.ts";
import type { Listed } from "../list-rows.ts";
import type { PassDeps, PassOrder, PassRun } from "../pass-run.ts";
import { askRound, type HostQueue, isEmpty, readyAt, takeAll, unasked } from "./ask-round.ts";
import { crawlOf, findTargets, type TargetsLeftOut } from "./find-targets.ts";
import { openSite } from "./gather-facts.ts";
import { type AnswerEntry, readKnownAnswers, readRound, readRounds, writeKnownAnswers } from "./known-answers.ts";

/**
 * Checks the links that lead to other sites: object `broken-externals`. Each URL is asked once, then the targets of
 * redirects as URLs of their own, hop after hop. A hop has rounds of half a minute, between which the pass rests until
 * a host may be asked again.
 */

/** Beyond it, the URLs of a host are left to later passes. */
const MAX_PER_HOST = 1_000;
/** When it is over, what is left is for a later pass. */
const MAX_CHECK_MS = 6 * 3_600_000;
/** Real time: far below the timeout of a step, and soon over where the crawl is deleted. */
const ROUND_MS = 30_000;
/** A pass whose steps are too far apart counts as lost. */
const MAX_STEP_REST_MS = 5 * 60_000;
const CPU_MS_PER_URL = 0.01;

export interface AskedCounts {
  /** Null for a pass that asks no other site. It tells what is broken by the answers of earlier passes. */
  externals: ExternalCounts | null;
  /** URLs of the site itself: files that pages load, and links that the crawl does not follow. */
  own: ExternalCounts | null;
}

export async function checkExternals(run: PassRun, listed: Listed): Promise<AskedCounts> {
  const leftOut = await findTargets(run, listed);
  let endAt: number | null = null;
  let hop = 0;
  for (; ; hop++) {
    const queued = await run.step(`queue ${hop}`, "Looking which links to ask for", (deps, order) =>
      queueHop(hop, deps, order),
    );
    endAt ??= queued.endAt;
    if (queued.urls === 0) break;
    await askHop(run, hop, endAt);
  }
  return run.step("external links", "Judging the links", (deps, order) => judgeTargets(hop, leftOut, deps, order));
}

/** What a report says of them. */
export function tellExternals({ externals, own }: AskedCounts): string[] {
  return [...(externals === null ? [] : describeExternals(externals)), ...(own === null ? [] : tellOwn(own))];
}

/** Only what was not judged: what is broken is in the list. */
function tellOwn({ notJudged, linksLeftOut }: ExternalCounts): string[] {
  const open = notJudged.reduce((sum, each) => sum + each.count, 0);
  const named = (of: number, text: string) => (of === 0 ? [] : [`${count(of)} ${text}`]);
  return [
    ...named(
      open,
      "files and links of the site that the crawl did not keep are not judged: they gave no clear answer.",
    ),
    ...named(linksLeftOut, "places load files, or have links that are not followed, that are too many to ask for."),
  ];
}

async function askHop(run: PassRun, hop: number, endAt: number): Promise<void> {
  for (let round = 0; ; round++) {
    const { left, restMs } = await run.step(`ask ${hop}-${round}`, "Asking for links", (deps, order) =>
      ask(hop, round, endAt, deps, order),
    );
    if (left === 0) return;
    if (restMs > 0) await run.rest(`rest ${hop}-${round}`, restMs);
  }
}

/** Writes `answers-HOP`, all that is known so far, and `queue-HOP-0`, what is to ask now. */
async function queueHop(hop: number, deps: PassDeps, order: PassOrder) {
  const { passObjects, clock, meter } = deps;
  const targets = [...(await readTargets("own-targets", deps, order)), ...(await readTargets("targets", deps, order))];
  const answers =
    hop === 0 ? await readKnownAnswers(deps, order, true) : new Map(await readAnswers(hop - 1, deps, order));
  // All rounds so far: an instance that began again from its first step asks nothing twice.
  for await (const [url, answer] of readRounds(deps, order)) answers.set(url, answer);
  const verdictOf = await openJudge(answers, deps, order);
  const urls = new Set<string>();
  for (const target of targets) {
    const verdict = verdictOf(target);
    if (verdict.kind === "unanswered") urls.add(verdict.url);
  }
  const queue: HostQueue[] = [];
  for (const [host, all] of Map.groupBy(urls, hostKey)) {
    queue.push({ host, urls: all.slice(0, MAX_PER_HOST), waiting: [], waitedMs: 0 });
    for (const url of all.slice(MAX_PER_HOST)) answers.set(url, unasked("host-limit"));
  }
  await passObjects.put(order, `answers-${hop}`, packJson([...answers]));
  await passObjects.put(order, `queue-${hop}-0`, packJson(queue));
  meter.add({ cpuMs: targets.length * CPU_MS_PER_URL });
  return { urls: urls.size, endAt: clock.now() + MAX_CHECK_MS * clock.speed };
}

/** Asks what is in `queue-HOP-ROUND`, and writes what is left as the next one. `restMs`: until a host may be asked. */
async function ask(hop: number, round: number, endAt: number, deps: PassDeps, order: PassOrder) {
  const { passObjects, clock } = deps;
  const crawl = await crawlOf(deps, order);
  const name = `${hop}-${round}`;
  const answers = await readRound(name, deps, order);
  const answered = new Set(answers.map(([url]) => url));
  const queue = unpackJson<HostQueue[]>(await passObjects.bytes(order, `queue-${name}`));
  for (const host of queue) {
    host.urls = host.urls.filter((url) => !answered.has(url));
    host.waiting = host.waiting.filter(({ url }) => !answered.has(url));
  }
  let writing: Promise<void> = Promise.resolve();
  const keep = (some: AnswerEntry[]) => {
    answers.push(...some);
    writing = writing.then(() => passObjects.put(order, `asked-${name}`, packJson(answers)));
    return writing;
  };
  const until = clock.now() + ROUND_MS * clock.speed;
  const asked = queue.filter((host) => !isEmpty(host));
  if (until < endAt) await askRound({ queue: asked, crawl, until, keep }, deps);
  else await keep(asked.flatMap(takeAll).map((url): AnswerEntry => [url, unasked("time")]));
  const left = asked.filter((host) => !isEmpty(host));
  await passObjects.put(order, `queue-${hop}-${round + 1}`, packJson(left));
  const nextAt = left.reduce((earliest, host) => Math.min(earliest, readyAt(host)), Number.POSITIVE_INFINITY);
  const restMs = Math.min(Math.max(0, nextAt - clock.now()), MAX_STEP_REST_MS * clock.speed);
  return { left: left.length, restMs: left.length === 0 ? 0 : restMs };
}

async function judgeTargets(
  hop: number,
  leftOut: TargetsLeftOut,
  deps: PassDeps,
  order: PassOrder,
): Promise<AskedCounts> {
  const targets = await readTargets("targets", deps, order);
  const ownTargets = await readTargets("own-targets", deps, order);
  const answers = new Map(await readAnswers(hop, deps, order));
  const verdictOf = await openJudge(answers, deps, order);
  const broken = new Map<string, BrokenExternal>();
  const judge = (urls: readonly string[]) => {
    const counts = new VerdictCounts();
    for (const url of urls) {
      const verdict = verdictOf(url);
      counts.add(url, verdict);
      if (verdict.kind === "broken") broken.set(url, { ...verdict });
    }
    return counts;
  };
  const [externals, own] = [judge(targets), judge(ownTargets)];
  const asksOthers = order.checkExternal === true;
  if (!asksOthers) for (const [url, each] of await judgeKnown(deps, order)) broken.set(url, each);
  await deps.passObjects.put(order, "broken-externals", packJson([...broken]));
  // Answers for URLs that nobody links to any more are forgotten.
  const linked = linkedUrls([...targets, ...ownTargets], answers);
  const kept = asksOthers ? [] : await readKnownAnswers(deps, order, false);
  const known = new Map([...kept, ...[...answers].filter(([url]) => linked.has(url))]);
  if (asksOthers || known.size > 0) await writeKnownAnswers(known, deps, order);
  deps.meter.add({ cpuMs: targets.length * CPU_MS_PER_URL });
  return {
    externals: asksOthers ? externals.toCounts(leftOut.external) : null,
    own: ownTargets.length === 0 ? null : own.toCounts(leftOut.own),
  };
}

async function judgeKnown(deps: PassDeps, order: PassOrder): Promise<[string, BrokenExternal][]> {
  const answers = await readKnownAnswers(deps, order, false);
  const verdictOf = answers.size === 0 ? null : await openJudge(answers, deps, order);
  const broken: [string, BrokenExternal][] = [];
  for (const url of answers.keys()) {
    const verdict = verdictOf?.(url);
    if (verdict?.kind === "broken") broken.push([url, { ...verdict }]);
  }
  return broken;
}

/** What `checkExternals` found broken. */
export async function readBrokenExternals({ passObjects }: PassDeps, order: PassOrder) {
  return new Map(unpackJson<[string, BrokenExternal][]>(await passObjects.bytes(order, "broken-externals")));
}

async function openJudge(answers: ExternalAnswers, deps: PassDeps, order: PassOrder) {
  const { site } = await openSite(deps, order);
  const { maxRedirects } = (await crawlOf(deps, order)).options;
  const ownStatus = (url: string) => {
    const node = site.findNode(url);
    return node === null ? null : (site.httpStatuses[node] as number);
  };
  return (url: string) => judgeExternal(url, answers, ownStatus, maxRedirects);
}

/** Targets, and what their redirects lead to. */
function linkedUrls(targets: readonly string[], answers: ReadonlyMap<string, ExternalAnswer>): Set<string> {
  const linked = new Set<string>();
  for (const target of targets)
    for (let url: string | null = target; url !== null && !linked.has(url); url = answers.get(url)?.target ?? null)
      linked.add(url);
  return linked;
}

async function readTargets(
  name: "targets" | "own-targets",
  { passObjects }: PassDeps,
  order: PassOrder,
): Promise<string[]> {
  return unpackJson<string[]>(await passObjects.bytes(order, name));
}

async function readAnswers(hop: number, { passObjects }: PassDeps, order: PassOrder): Promise<AnswerEntry[]> {
  return unpackJson<AnswerEntry[]>(await passObjects.bytes(order, `answers-${hop}`));
}
