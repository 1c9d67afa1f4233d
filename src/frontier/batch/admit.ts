import { logWarning } from "../../core/log.ts";
import type { Crawl, QueuedUrl } from "../../crawl/crawl.ts";
import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import { LOG_IN_LEASE_MS } from "../../fetch/browser/log-in/perform-log-in.ts";
import { renderLeaseMs } from "../../fetch/browser/render-page.ts";
import type { Admission, AdmitRequest, LanePolicy, Verdict } from "../../host/gate-protocol.ts";
import { pacerOf } from "../../host/pace.ts";
import { SealProblem } from "../../store/installation/seal.ts";
import { originOf } from "../../url/host-key.ts";
import type { PrivateAccess } from "../../url/private-access.ts";
import { type Attempt, decidedAttempt } from "../attempt.ts";
import type { CrawlContext } from "../context.ts";
import type { Deps } from "../deps.ts";
import { TopicCourse } from "../features/topic/topic-course.ts";
import type { OpenLane } from "../lane/lane-driver.ts";
import type { ContextDeps } from "../needs.ts";
import { isNewCrawl, visitOf, type Work } from "../work.ts";
import { type Hint, keyOf } from "./message.ts";
import { pauseCrawl } from "./pause-crawl.ts";
import { readMarks } from "./read-marks.ts";

/** The first stage: drops stale messages, and asks a host's gate once for all URLs of it that the batch holds. */

/** One host's share of a batch. */
export interface Lane extends OpenLane {
  host: string;
  /** The URLs that may be fetched now, in order. */
  going: Work[];
}

/** A URL to send again later, without an attempt. `why` is for people; null for the host's usual pace. */
export interface Waiting {
  work: Work;
  delayMs: number;
  why: string | null;
}

interface AdmittedHost {
  /** Null if no URL may be fetched now. */
  lane: Lane | null;
  waiting: Waiting[];
  /** URLs that were decided without a fetch. */
  decided: Attempt[];
}

/** Throws what the gate throws. */
export async function admitHost(
  host: string,
  works: Work[],
  deps: Pick<Deps, "clock" | "gate" | "limits">,
): Promise<AdmittedHost> {
  const gate = () => deps.gate(host);
  const options = works.map(({ context }) => context.crawl.options);
  const { visitLaneMs } = deps.limits;
  // What a drawn page asks of another host waits ten seconds for it (ask-for-lane.ts).
  const longLanes = deps.limits.longLanes && options.every(({ render }) => render === "never");
  const policy = { ...strictest(options), longLanes };
  const isOfVisits = visitLaneMs !== null && works.every((work) => visitOf(work) !== null);
  const laneMs = isOfVisits ? { laneMs: visitLaneMs } : {};
  const admission = await gate().admit({ urls: works.map(toRequest), policy, ...laneMs });
  const going: Work[] = [];
  const waiting: Waiting[] = [];
  const decided: Attempt[] = [];
  for (const [i, asked] of works.entries()) {
    const verdict = admission.verdicts[i];
    if (verdict === undefined) continue;
    const work = withVerdict(asked, verdict, admission);
    if (verdict.kind === "go") going.push(work);
    else if (verdict.kind === "wait") waiting.push({ work, delayMs: verdict.delayMs, why: verdict.why });
    else decided.push(decidedAttempt(work, verdict, deps.clock.now()));
  }
  const grant = admission.lane;
  if (grant === null) return { lane: null, waiting, decided };
  const lane = { host, gate, policy: policyOfLane(policy, grant), grant, pacer: pacerOf(grant), going };
  return { lane, waiting, decided };
}

/** The work with the gate's verdicts. */
function withVerdict(work: Work, verdict: Verdict, { sitemaps }: Admission): Work {
  return work.kind === "page"
    ? { ...work, lost: verdict.kind === "go" && verdict.lost }
    : { ...work, named: sitemaps[originOf(work.row.url)] ?? [] };
}

function toRequest({ kind, row, context }: Work): AdmitRequest["urls"][number] {
  return {
    crawl: row.crawl,
    epoch: context.crawl.epoch,
    url: row.url,
    origin: originOf(row.url),
    agent: context.agent,
    uses: context.uses,
    ...(isNewCrawl(context.crawl) ? { isNew: true } : {}),
    ...context.rightsOn(row.url),
    ...(kind === "page" && context.crawl.options.dryRun ? { robotsOnly: true } : {}),
    ...(kind === "sitemap" && row.guessed ? { sitemaps: true } : {}),
    // An asset belongs to its page, wherever its host is.
    ...(kind === "page" && row.kind === "asset" ? {} : countriesOf(context.crawl.options)),
  };
}

/** The countries in which the host must be, as its gate is asked. */
export function countriesOf({ countries }: CrawlOptions): Pick<AdmitRequest["urls"][number], "countries"> {
  return countries.length === 0 ? {} : { countries };
}

/**
 * The queued rows of running crawls, and the visited ones of watches, whose epoch equals that of the message, each
 * once.
 */
export async function readWork(hints: Hint[], deps: ContextDeps, access: PrivateAccess): Promise<Work[]> {
  const { crawls, urls, sitemaps } = await deps.ledger.admission(hints, deps.clock.now());
  const opened = await Promise.all(crawls.map((crawl) => openCrawl(crawl, deps, access)));
  const contexts = new Map(opened.flatMap((context) => (context === null ? [] : [[context.crawl.id, context]])));
  const byKey = new Map(hints.map((hint) => [keyOf(hint), hint]));
  const found = (
    row: Pick<QueuedUrl, "crawl" | "url">,
    sitemap: boolean,
    visit: number | null,
  ): Pick<Work, "hint" | "context">[] => {
    const context = contexts.get(row.crawl);
    const isVisited = visit !== null && context?.crawl.status === "watching";
    if (context === undefined || (context.crawl.status !== "running" && !isVisited)) return [];
    const hint = byKey.get(keyOf({ ...row, epoch: context.crawl.epoch, sitemap, visit }));
    return hint === undefined ? [] : [{ hint, context }];
  };
  return distinct([
    ...urls.flatMap((row) =>
      found(row, false, row.visit?.count ?? null).map((live): Work => ({ kind: "page", row, ...live, lost: false })),
    ),
    ...sitemaps.flatMap((row) =>
      found(row, true, row.reading?.count ?? null).map((live): Work => ({ kind: "sitemap", row, ...live, named: [] })),
    ),
  ]);
}

/** Null for a crawl whose headers cannot be decrypted: it pauses, so its messages are stale. */
async function openCrawl(crawl: Crawl, deps: ContextDeps, access: PrivateAccess): Promise<CrawlContext | null> {
  try {
    const headers = await deps.sealedValues.openHeaders(crawl.options.headers);
    return deps.contexts.of(crawl, access, { topic: await openCourse(crawl, deps), headers });
  } catch (error) {
    if (!(error instanceof SealProblem)) throw error;
    await pauseCrawl(crawl.id, error.message, deps);
    return null;
  }
}

/** What is compiled of a crawl, for work without a message and without a request. Null if the crawl is gone. */
export async function readContext(id: string, deps: ContextDeps, access: PrivateAccess): Promise<CrawlContext | null> {
  const crawl = await deps.ledger.crawl(id);
  return crawl === null ? null : deps.contexts.of(crawl, access, { topic: await openCourse(crawl, deps) });
}

/** Null for a crawl without a subject. Marks that cannot be read now are read by the next batch. */
async function openCourse(crawl: Crawl, deps: ContextDeps): Promise<TopicCourse | null> {
  const course = await TopicCourse.open(crawl, deps.topics);
  if (course === null) return null;
  const topic = () => ({ lens: course.lens, words: crawl.options.topic, maxExample: 0 });
  await readMarks(crawl, course.marked, topic, deps)
    .then(({ marks, last }) => course.learnMarks(marks, last))
    .catch((error) => logWarning("marks-not-read", { error: String(error) }));
  return course;
}

/** A batch may hold a message twice. */
function distinct(work: Work[]): Work[] {
  return [...new Map(work.map((item) => [`${item.row.crawl} ${item.kind} ${item.row.url}`, item])).values()];
}

/** What the gate allows of a policy. An older gate says the same in fewer words. */
export function policyOfLane(asked: LanePolicy, { pace, concurrency }: NonNullable<Admission["lane"]>): LanePolicy {
  const { minDelayMs, maxDelayMs, delayFactor } = pace;
  return { ...asked, minDelayMs, maxDelayMs, delayFactor, concurrency };
}

/** Crawls share a host, so the most careful of them sets its pace. The lease has room for the slowest of them. */
export function strictest(options: CrawlOptions[]): LanePolicy {
  const policies = options.map(({ politeness }) => politeness);
  const bandwidths = policies.map((policy) => policy.maxBytesPerSecond).filter((limit) => limit > 0);
  const hasSession = options.some(({ session }) => session !== "");
  return {
    minDelayMs: Math.max(...policies.map((policy) => policy.minDelayMs)),
    maxDelayMs: Math.max(...policies.map((policy) => policy.maxDelayMs)),
    delayFactor: Math.max(...policies.map((policy) => policy.delayFactor)),
    // A server that gives a new cookie with each answer takes no two requests at once.
    concurrency: hasSession ? 1 : Math.min(...policies.map((policy) => policy.maxConcurrencyPerHost)),
    timeoutMs: Math.max(
      ...options.map(
        ({ timeoutMs, render: mode, renderOptions: actions, session }) =>
          timeoutMs + renderLeaseMs({ mode, actions }) + (session === "" ? 0 : LOG_IN_LEASE_MS),
      ),
    ),
    userAgent: options[0]?.userAgent ?? "",
    from: options[0]?.from ?? "",
    ...(hasSession ? { hasSession } : {}),
    maxBytesPerSecond: bandwidths.length === 0 ? 0 : Math.min(...bandwidths),
  };
}
