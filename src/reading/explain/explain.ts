import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import { describeReason } from "../../crawl/page/reason.ts";
import { isOpenStatus } from "../../crawl/page/status.ts";
import type { ExplainPace, ExplainStep, ExplainVerdict, Explanation } from "../../crawl/report/explanation.ts";
import { countriesOf, strictest } from "../../frontier/batch/admit.ts";
import { compileCrawl } from "../../frontier/context.ts";
import { FEATURES } from "../../frontier/features/list.ts";
import { asksForMore } from "../../frontier/lane/host-rights.ts";
import type { CountryAnswer, Inspection } from "../../host/gate-protocol.ts";
import { GUEST_LIMITS } from "../../host/guest-limits.ts";
import { describeOwnership } from "../../host/ownership.ts";
import { REFUSALS } from "../../scope/refusal.ts";
import { decideScope, mayAskHost, type Scope, type ScopeDecision } from "../../scope/scope.ts";
import { decideTrap } from "../../scope/traps.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { hostKey, hostOf, originOf } from "../../url/host-key.ts";
import type { PrivateAccess } from "../../url/private-access.ts";
import type { ExplainDeps } from "../needs.ts";
import { describeNextVisit } from "./next-visit.ts";
import { waitingOf } from "./waiting.ts";

/**
 * Follows a URL through the pipeline without fetching it, and reports each decision: ledger, scope, traps, country,
 * robots.txt, pace. It reads robots.txt when a crawl would read it, and sends no request to a host that the crawl would
 * not ask.
 */

/** A crawl, or the options of a crawl that does not exist yet. */
type ExplainSubject = { crawl: Crawl } | { options: CrawlOptions };

/** The assumed depth of a URL without a record. */
const ASSUMED_DEPTH = 1;

export async function explain(
  asked: string,
  subject: ExplainSubject,
  deps: ExplainDeps,
  access: PrivateAccess,
): Promise<Explanation> {
  const asWritten = asked.trim();
  const url = canonicalize(asWritten);
  if (url === null) {
    const sentence = "It is not an http or https URL, such as https://example.com/, so a crawl drops it.";
    const step: ExplainStep = { step: "url", ok: false, rule: "invalid-url", detail: `it ${REFUSALS["invalid-url"]}` };
    return { url, asWritten, verdict: "refused", sentence, steps: [step], record: null, pace: null };
  }

  const crawl = "crawl" in subject ? subject.crawl : null;
  const options = "crawl" in subject ? subject.crawl.options : subject.options;
  const hosts = crawl?.hosts ?? [...new Set(options.urls.map(hostOf))];
  const { scope, agent, uses, rightsOn, isMedia } = compileCrawl({ options, hosts }, access);
  const record = crawl === null ? null : await readRecord(crawl.id, url, deps);
  // Of a list, the options name one seed for each origin.
  const isSeed = options.urls.includes(url) || (record?.depth === 0 && record.via === null);

  const steps: ExplainStep[] = [urlStep(asWritten, url)];
  if (crawl !== null) steps.push(await recordStep(crawl, url, record, deps));
  const isAsset = record?.kind === "asset";
  const scopeAnswer = isAsset ? ASSET_STEP : scopeStep(scope, options, url, isSeed, record);
  steps.push(scopeAnswer);
  if (!isAsset && (scopeAnswer.ok || record !== null)) steps.push(trapStep(options, url, isSeed, record));
  const isNoPage = isAsset || (record === null && isMedia(url));
  const explained = crawl === null ? null : { crawl, url, record, isSeed, isAsset: isNoPage, deps };
  const said = await Promise.all(FEATURES.map((feature) => explained && feature.explain?.(explained)));
  const byFeatures = said.filter((saying) => saying != null);
  // Scope and traps name the exact rule; the ledger notes only the kind of rule.
  const deciding = [...steps, ...byFeatures.flatMap(({ step, refuses }) => (refuses ? step : []))];
  const refusal = deciding.findLast(({ ok }) => !ok) ?? null;
  steps.push(...byFeatures.map(({ step }) => step));
  const mayAsk = mayAskHost(scope, hostOf(url)) && (refusal === null || record !== null);
  const now = deps.clock.now();
  let pace: ExplainPace | null = null;
  let robots: RobotsStep | null = null;
  let country: CountryAnswer | null = null;
  if (mayAsk) {
    const asker = crawl === null ? {} : { crawl: crawl.id };
    const countries = isAsset ? {} : countriesOf(options);
    const about = { origin: originOf(url), url, agent, uses, ...rightsOn(url) };
    const request = { ...asker, ...about, ...countries, policy: strictest([options]) };
    const inspection = await deps.gate(hostKey(url)).inspect(request);
    pace = paceOf(inspection, now);
    country = inspection.country ?? null;
    if (country !== null) steps.push(countryStep(country, options));
    if (country === null || country.allowed === true) {
      const own = ownHostStep(hostOf(url), inspection, options);
      if (own !== null) steps.push(own);
      robots = judgeRobots(inspection, agent, now);
      steps.push(robots.step, paceStep(pace, now));
    }
  }
  const { verdict, sentence } = conclude(crawl, record, refusal, country, robots, pace, now);
  const next = crawl === null || record === null ? null : await describeNextVisit(crawl, url, deps);
  return { url, asWritten, verdict, sentence: next === null ? sentence : `${sentence} ${next}`, steps, record, pace };
}

function urlStep(asWritten: string, url: string): ExplainStep {
  const changes = asWritten === url ? [] : changesOf(asWritten, url);
  if (changes.length === 0) return { step: "url", ok: true, rule: "canonical", detail: "it is canonical as written" };
  return { step: "url", ok: true, rule: "canonical", detail: `its canonical form is ${url}: ${changes.join("; ")}` };
}

/** The changes that `canonicalize` made, in words. */
function changesOf(asWritten: string, url: string): string[] {
  const written = new URL(asWritten);
  const canonical = new URL(url);
  const changes: string[] = [];
  if (asWritten.includes("#")) changes.push("without its fragment");
  if (written.username !== "" || written.password !== "") changes.push("without user name and password");
  if (written.hostname.endsWith(".")) changes.push("without the dot after its host name");
  const dropped = [...new Set(written.searchParams.keys())].filter((name) => !canonical.searchParams.has(name));
  if (dropped.length > 0) changes.push(`without parameters that do not change the content (${dropped.join(", ")})`);
  if (/;jsessionid=|\(S\(/i.test(written.pathname) && written.pathname !== canonical.pathname) {
    changes.push("without the session in its path");
  }
  return changes.length > 0
    ? changes
    : ["in canonical spelling (case of the host, escapes, default port, dot segments)"];
}

/** The record as it is stored, with status `pending` where it waits for a place in the queue. */
async function readRecord(crawl: string, url: string, deps: ExplainDeps): Promise<CrawlUrl | null> {
  const record = await deps.records.get(crawl, url);
  const waits = record?.status === "queued" && (await deps.ledger.isInBacklog(crawl, url));
  return record !== null && waits ? { ...record, status: "pending" } : record;
}

/** Looks in the ledger for the row, or for an example of a refused link. */
async function recordStep(crawl: Crawl, url: string, record: CrawlUrl | null, deps: ExplainDeps): Promise<ExplainStep> {
  if (record === null) {
    const refused = (await deps.ledger.refusals(crawl.id)).find(({ examples }) => examples.includes(url));
    if (refused !== undefined) {
      const detail = `the crawl found this link and did not follow it: it ${REFUSALS[refused.reason]}`;
      return { step: "record", ok: false, rule: refused.reason, detail };
    }
    return { step: "record", ok: true, rule: "none", detail: "the crawl has no record of it" };
  }
  const status = statusOf(record);
  const origin = record.via === null ? "a seed" : `found on ${record.via}`;
  const facts = [origin, `depth ${record.depth}`, `${record.attempts} ${record.attempts === 1 ? "try" : "tries"}`];
  if (record.lastmod !== null)
    facts.push(`last changed ${new Date(record.lastmod).toISOString()} according to a sitemap`);
  const why = reasonOf(record);
  return {
    step: "record",
    ok: status === "completed" || status === "queued",
    rule: record.reason ?? status,
    detail: `${facts.join(", ")}${why === null ? "" : `; ${why}`}`,
  };
}

const ASSET_STEP: ExplainStep = {
  step: "scope",
  ok: true,
  rule: "asset",
  detail: "it is an asset of a stored page; assets are in scope on every host",
};

function scopeStep(
  scope: Scope,
  { source }: CrawlOptions,
  url: string,
  isSeed: boolean,
  record: CrawlUrl | null,
): ExplainStep {
  if (isSeed && mayAskHost(scope, hostOf(url))) {
    return {
      step: "scope",
      ok: true,
      rule: "seed",
      detail: "it is a seed; seeds are in scope whatever the patterns say",
    };
  }
  const depth = record?.depth ?? ASSUMED_DEPTH;
  const decision: ScopeDecision = decideScope(scope, url, depth);
  const assumed = record === null ? ` (assumed to be ${ASSUMED_DEPTH}: no record says how deep it is)` : "";
  if (!decision.accept) {
    const { reason, detail } = decision;
    const note = reason === "depth" ? assumed : "";
    return { step: "scope", ok: false, rule: reason, detail: `it ${REFUSALS[reason]}: ${detail}${note}` };
  }
  const host = hostOf(url);
  const facts = [
    scope.hosts.has(host) ? `${host} is a host of the crawl` : `${host} is another host, which the crawl allows`,
  ];
  const included = scope.include.find(({ matches }) => matches(url));
  if (included !== undefined) facts.push(`${included.pattern} includes it`);
  facts.push(`depth ${depth} of ${scope.depth}${assumed}`);
  if (source === "sitemaps" && record === null)
    facts.push("but only if a sitemap lists it, because links are not followed");
  return { step: "scope", ok: true, rule: included?.pattern ?? host, detail: facts.join(", ") };
}

function trapStep({ traps }: CrawlOptions, url: string, isSeed: boolean, record: CrawlUrl | null): ExplainStep {
  if (isSeed) return { step: "trap", ok: true, rule: "seed", detail: "a seed is never a trap" };
  const trap = decideTrap(traps, url, record?.via ?? `${originOf(url)}/`);
  if (trap === null) {
    return {
      step: "trap",
      ok: true,
      rule: "none",
      detail: "its length, path segments and session look like those of a page",
    };
  }
  return { step: "trap", ok: false, rule: trap.reason, detail: `it ${REFUSALS[trap.reason]}: ${trap.detail}` };
}

function countryStep({ allowed, detail }: CountryAnswer, { countries }: CrawlOptions): ExplainStep {
  const says = allowed === null ? "nobody knows yet where its host is" : detail;
  const wanted = `the crawl asks for ${countries.join(", ")}`;
  return {
    step: "country",
    ok: allowed === true,
    rule: wanted,
    detail: allowed === null ? `${says}: ${detail}` : says,
  };
}

/** Null for a crawl that asks for no more than any host gives. */
function ownHostStep(host: string, { ownership }: Inspection, options: CrawlOptions): ExplainStep | null {
  if (ownership === undefined || !asksForMore(options)) return null;
  const { evidence } = ownership;
  const detail = describeOwnership(host, ownership);
  if (evidence !== null) return { step: "own-host", ok: true, rule: evidence.kind, detail };
  return { step: "own-host", ok: true, rule: "guest", detail: `${detail}: ${GUEST_LIMITS}` };
}

interface RobotsStep {
  step: ExplainStep;
  /** Null when robots.txt allows the URL. */
  verdict: "disallowed" | "errored" | "wait" | null;
}

function judgeRobots({ robots, failures }: Inspection, agent: string, now: number): RobotsStep {
  const { state } = robots;
  const read = robots.fetchedAt === null ? "" : `, read ${ago(robots.fetchedAt, now)}`;
  const step = (ok: boolean, rule: string, detail: string): ExplainStep => ({ step: "robots", ok, rule, detail });
  if (state === "read") {
    const group =
      robots.agent === null ? `no group is for ${agent}` : `the group for ${robots.agent} applies to ${agent}`;
    const rule = robots.rule ?? "no rule matches";
    const detail = `${robots.allowed ? "robots.txt allows it" : "robots.txt forbids it"}: ${group}${read}`;
    return { step: step(robots.allowed === true, rule, detail), verdict: robots.allowed ? null : "disallowed" };
  }
  if (state === "own")
    return { step: step(true, "own host", "one's own host, whose robots.txt the crawl ignores"), verdict: null };
  if (state === "allow-all") return { step: step(true, "none", `there is no robots.txt${read}`), verdict: null };
  if (state === "later") {
    const why = failures > 0 ? "the host failed, and gets no requests for now" : "the host rests between two requests";
    const again = `robots.txt has to be read first, ${within(robots.retryAt, now)}: ${why}`;
    return { step: step(false, "robots.txt first", again), verdict: "wait" };
  }
  const detail = robots.detail ?? "robots.txt cannot be read";
  if (robots.allowed === false) return { step: step(false, state, detail), verdict: "errored" };
  return {
    step: step(false, state, `${detail}; it is requested again ${within(robots.retryAt, now)}`),
    verdict: "wait",
  };
}

function paceOf(inspection: Inspection, now: number): ExplainPace {
  const { restMs, crawlDelayMs, failures, robots } = inspection;
  const { why, since, until } = waitingOf(inspection, robots);
  return {
    delayMs: restMs,
    crawlDelayMs,
    nextAt: until > now ? until : null,
    backoff: failures,
    waitingSince: since,
    why,
  };
}

function paceStep({ delayMs, crawlDelayMs, nextAt, backoff, why }: ExplainPace, now: number): ExplainStep {
  const facts = [
    `the next request may start ${within(nextAt, now)}`,
    `${seconds(delayMs)} between requests`,
    ...(crawlDelayMs === null ? [] : [`Crawl-delay ${seconds(crawlDelayMs)}`]),
    why,
  ];
  return {
    step: "pace",
    ok: backoff === 0 || nextAt === null,
    rule: backoff > 0 ? "back-off" : crawlDelayMs === delayMs ? "Crawl-delay" : "pace",
    detail: facts.join("; "),
  };
}

/** The record decides if there is one, else the first rule that refuses the URL. */
function conclude(
  crawl: Crawl | null,
  record: CrawlUrl | null,
  refusal: ExplainStep | null,
  country: CountryAnswer | null,
  robots: RobotsStep | null,
  pace: ExplainPace | null,
  now: number,
): { verdict: ExplainVerdict; sentence: string } {
  const waits = robots?.verdict === "wait" || (pace !== null && pace.backoff > 0 && pace.nextAt !== null);
  if (record !== null) {
    const verdict = statusOf(record);
    if (verdict === "completed") {
      const note =
        record.shell === null ? "" : " It looks as if scripts made what it shows, so its text may be missing.";
      return { verdict, sentence: `The crawl fetched it and stored it.${note}` };
    }
    if (verdict !== "queued")
      return { verdict, sentence: `It is ${verdict}: ${reasonOf(record) ?? "no reason is on record"}.` };
    const wait = waits ? ` It waits: ${pace?.why}, ${within(pace?.nextAt ?? null, now)}.` : "";
    if (crawl?.status === "paused") return { verdict, sentence: "It is queued in a crawl that is paused." };
    const why = reasonOf(record);
    const state = record.status === "pending" ? "It is known, and waits to be queued." : "It is queued.";
    const retried = `It waits for attempt ${record.attempts + 1}, because attempt ${record.attempts} failed: ${why}.`;
    return { verdict, sentence: (why === null ? state : retried) + wait };
  }
  if (refusal !== null) return { verdict: "refused", sentence: `The crawl does not follow it: ${refusal.detail}.` };
  if (country?.allowed === false)
    return { verdict: "skipped", sentence: `The crawl does not ask its host: ${country.detail}.` };
  if (country?.allowed === null) return { verdict: "wait", sentence: `It would have to wait: ${country.detail}.` };
  if (robots?.verdict === "disallowed") {
    return { verdict: "disallowed", sentence: `robots.txt forbids it: ${robots.step.rule}.` };
  }
  if (robots?.verdict === "errored")
    return { verdict: "errored", sentence: `It cannot be fetched: ${robots.step.detail}.` };
  if (waits)
    return { verdict: "wait", sentence: `It would have to wait: ${pace?.why}, ${within(pace?.nextAt ?? null, now)}.` };
  const verdict = "would be fetched";
  if (crawl === null) return { verdict, sentence: "A crawl that finds it would fetch it." };
  if (isOpenStatus(crawl.status)) {
    return { verdict, sentence: "The crawl has not found it yet; it would fetch it." };
  }
  const end = crawl.status.replaceAll("_", " ");
  return { verdict, sentence: `The crawl is over (${end}) and never found it; it would have fetched it.` };
}

function statusOf({ status }: CrawlUrl): Exclude<CrawlUrl["status"], "pending"> {
  return status === "pending" ? "queued" : status;
}

function reasonOf(record: CrawlUrl): string | null {
  return record.reason === null ? null : describeReason(record);
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

function within(time: number | null, now: number): string {
  return time === null || time <= now ? "now" : `in ${seconds(time - now)}`;
}

function ago(time: number, now: number): string {
  const minutes = Math.floor((now - time) / 60_000);
  return minutes < 1 ? "just now" : minutes < 120 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`;
}
