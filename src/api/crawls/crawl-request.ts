import type * as z from "zod";
import { findRuleProblems, NO_RULES } from "../../changes/ignore-rules.ts";
import { countShards } from "../../crawl/bounds/ledger-choice.ts";
import {
  type CrawlOptions,
  DEFAULT_OPTIONS,
  hasTopic,
  isPrivate,
  type Politeness,
  type Store,
} from "../../crawl/crawl-options.ts";
import { WATCH_LIMIT } from "../../crawl/options/start-options.ts";
import { readPrices } from "../../crawl/page/model-budget.ts";
import { areDefaultActions } from "../../crawl/page/page-actions.ts";
import { leastEveryS } from "../../crawl/watch/visit-pace.ts";
import { shortestEveryMs } from "../../crawl/watch/visit-rates.ts";
import type { Watch } from "../../crawl/watch/watch.ts";
import type { DocumentKind } from "../../media/kind/document-kinds.ts";
import { canonicalize, MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { privatePatternProblem } from "../../url/private-pattern.ts";
import { isPublicHost } from "../../url/public-address.ts";
import { hasUserInfo } from "../../url/user-info.ts";
import { checkConditionFields } from "../changes/telling-schemas.ts";
import { toWebhook } from "../changes/webhook-schemas.ts";
import { requestOf } from "../requests/fields.ts";
import { RequestProblem } from "../requests/request-problem.ts";
import { checkHost, type FetchableHosts } from "./fetchable-host.ts";
import { userAgentValue } from "./option-formats.ts";
import { optionShape } from "./option-schemas.ts";
import { topicDefaults } from "./topic-request.ts";

/**
 * The request that starts a crawl. Names, bounds and defaults are Cloudflare's if Cloudflare has the parameter
 * (https://developers.cloudflare.com/browser-rendering/rest-api/crawl-endpoint/). The rest are ours, in the same body.
 */

const { watch, ...shape } = optionShape;

export const watchRequest = requestOf(watch.unwrap().shape).superRefine(({ ignore, only }, context) => {
  const ofOnly = findRuleProblems({ ...NO_RULES, selectors: only ?? [] });
  for (const { message } of ofOnly) context.addIssue({ code: "custom", path: ["only"], message });
  for (const { field, message } of findRuleProblems(ignore))
    context.addIssue({ code: "custom", path: ["ignore", field], message });
});

export const crawlRequest = requestOf({
  ...shape,
  watch: watchRequest
    .nullable()
    .default(null)
    .describe("Make the crawl a watch: it stays, visits its pages again, and tells what changed. null: it ends."),
})
  .refine(({ url, urls }) => url !== undefined || (urls?.length ?? 0) > 0, {
    path: ["url"],
    message: "name a URL to crawl",
  })
  .refine(({ watch, dryRun }) => watch === null || !dryRun, {
    path: ["watch"],
    message: "a dry run keeps no pages, so it cannot watch them",
  })
  .refine(({ render, renderOptions }) => render !== "never" || areDefaultActions(renderOptions), {
    path: ["render"],
    message: "`renderOptions` are for pages that a browser draws: give auto or always",
  })
  .refine(({ screenshot, render }) => !screenshot || render !== "never", {
    path: ["screenshot"],
    message: "a screenshot needs a browser that draws the page: set render to auto or always",
  })
  .refine((request) => !request.search || !isPrivate(request), {
    path: ["search"],
    message: "what is read with a session is private, and the search index is not: set shared, or leave out search",
  })
  .refine((request) => request.until === 0 || hasTopic(request), {
    path: ["until"],
    message: "it is for a crawl with a subject: give topic, like or likeTexts",
  })
  .refine(({ until, watch }) => until === 0 || watch === null, {
    path: ["until"],
    message: "a watch stays, so it cannot end when its subject is exhausted: leave out until or watch",
  })
  .superRefine((request, context) => {
    const message = request.shards > 1 ? findShardProblem(request) : null;
    if (message !== null) context.addIssue({ code: "custom", path: ["shards"], message });
  })
  .superRefine(({ watch, politeness }, context) => {
    const message = watch === null ? null : findPaceProblem(watch, politeness);
    if (message !== null) context.addIssue({ code: "custom", path: ["watch", "everyS"], message });
  });

/** Why a crawl cannot be divided among several ledgers; null if it can. */
function findShardProblem(
  request: Pick<CrawlOptions, "session" | "extract" | "topic" | "like" | "likeTexts"> & {
    watch: unknown;
    webhook?: unknown;
  },
): string | null {
  const because = (what: string, why: string) => `a crawl over several ledgers cannot have ${what}: ${why}`;
  if (request.watch !== null) return because("a watch", "its visits are budgeted in one ledger");
  if (hasTopic(request)) return because("a subject", "what is best is learned from all pages, in one ledger");
  if (request.session !== "") return because("a session", "who is signed in is known in one ledger");
  if (request.webhook !== undefined) return because("a webhook", "its notices are numbered in one ledger");
  if (request.extract !== null) return because("values by a model", "its calls are counted in one ledger");
  return null;
}

/** Why the host's pace lets no page be visited so often; null if it does. */
export function findPaceProblem(watch: Pick<Watch, "everyS" | "everyFor">, politeness: Politeness): string | null {
  const least = leastEveryS(1, 1, politeness);
  const everyS = shortestEveryMs(watch) / 1000;
  if (everyS >= least) return null;
  return `the pace of a request every ${politeness.minDelayMs} ms allows no visit every ${everyS} seconds; give at least ${least}, or a shorter minDelayMs`;
}

type CrawlRequest = z.output<typeof crawlRequest>;

/** A crawl inside another request. */
export const requestedCrawl = crawlRequest.describe("The crawl, as in the body of `POST /api/crawls`.");

/** The installation's defaults for a request, and its limits. */
export interface Installation extends FetchableHosts {
  userAgent: string;
  store: Store;
  /** The cost limit of crawls that set none, in US dollars; 0 for no limit, NaN if the variable cannot be read. */
  maxCostUsd: number;
  /** The kinds of documents that it can read. */
  documents: readonly DocumentKind[];
  /** Whether its hook may give pages fields of any name. */
  hasHook?: boolean;
  /** The number of its ledgers. Absent: one. */
  ledgers?: number;
  /** Its model: why it cannot be used, null if it can, and its prices as `modelPrices`. Absent: it has none. */
  model?: { problem: string | null; prices: string };
}

/** Throws RequestProblem if a seed cannot be crawled or the User-Agent of the installation cannot be sent. */
export function toOptions(request: CrawlRequest, installation: Installation): CrawlOptions {
  const {
    url,
    urls,
    options,
    userAgent,
    store,
    maxCostUsd,
    documents,
    webhook,
    like,
    maxQueued,
    limitPerHost,
    ownHosts,
    sitemaps,
    allowPrivate,
    ...rest
  } = request;
  if (request.shards > (installation.ledgers ?? 1))
    throw new RequestProblem(
      "too-few-ledgers",
      `The crawl is to be divided among ${request.shards} ledgers, and this installation has ${installation.ledgers ?? 1}: give fewer shards, or bind more ledgers.`,
      "shards",
    );
  const limit = request.limit ?? (request.watch === null ? DEFAULT_OPTIONS.limit : WATCH_LIMIT);
  // What cannot be divided stays in one ledger.
  const chosen = findShardProblem(request) === null ? countShards(limit, installation.ledgers ?? 1) : 1;
  const seeds = [
    ...(url === undefined ? [] : [toSeed(url, "url", installation)]),
    ...(urls ?? []).map((seed, i) => toSeed(seed, `urls.${i}`, installation)),
  ];
  const examples = like.map((example, i) => toSeed(example, `like.${i}`, installation));
  const made = webhook === undefined ? null : toWebhook(webhook, "webhook", installation);
  checkConditionFields(made?.telling, rest, { hasHook: installation.hasHook === true, path: "webhook.when" });
  const defaults = topicDefaults({ ...request, limit, urls: seeds, like: examples });
  return {
    ...rest,
    ...options,
    limit,
    shards: request.shards === 0 ? chosen : request.shards,
    includeExternalLinks: options.includeExternalLinks ?? defaults.includeExternalLinks,
    maxQueued: maxQueued ?? defaults.maxQueued,
    limitPerHost: limitPerHost ?? defaults.limitPerHost,
    ownHosts: [...new Set(ownHosts.map((host, i) => toOwnHost(host, `ownHosts.${i}`, installation)))],
    allowPrivate: [...new Set(allowPrivate.map((written, i) => toPrivate(written, `allowPrivate.${i}`, installation)))],
    like: [...new Set(examples)],
    urls: [...new Set(seeds)],
    sitemaps: [...new Set(sitemaps.map((sitemap, i) => toSeed(sitemap, `sitemaps.${i}`, installation)))],
    userAgent: userAgent ?? checkUserAgent(installation.userAgent),
    store: store ?? installation.store,
    maxCostUsd: maxCostUsd ?? checkMaxCost(installation.maxCostUsd),
    documents: installation.documents.filter((kind) => documents.includes(kind)),
    webhook: made,
    ...(rest.extract === null ? {} : declareModel(request, installation)),
  };
}

/** The same for a crawl that must be in one ledger. `why`: what more than one shard is refused with. */
export function toUndividedOptions(
  request: CrawlRequest,
  installation: Installation,
  why: string,
  path: string,
): CrawlOptions {
  const options = toOptions(request, installation);
  if (request.shards === 0) return { ...options, shards: 1 };
  if (options.shards > 1) throw new RequestProblem("invalid-request", why, path);
  return options;
}

/**
 * What a crawl declares whose pages a model reads, and its prices. Throws RequestProblem without a model, and for a
 * cost limit without prices.
 */
function declareModel(
  { crawlPurposes, modelPrices, modelCostUsd }: CrawlRequest,
  { model = { problem: "This installation has no model.", prices: "" } }: Installation,
): Pick<CrawlOptions, "crawlPurposes" | "contentUse" | "modelPrices"> {
  if (model.problem !== null) throw new RequestProblem("no-model", model.problem, "extract");
  const prices = modelPrices || model.prices;
  if (modelCostUsd > 0 && readPrices(prices) === null)
    throw new RequestProblem(
      "no-prices",
      "A cost limit of the model needs its prices for a million tokens: give them too (modelPrices, --model-prices), such as 0.4,1.6, or set MODEL_PRICES.",
      "modelCostUsd",
    );
  return {
    crawlPurposes: [...new Set([...crawlPurposes, "ai-input" as const])],
    contentUse: "full",
    modelPrices: prices,
  };
}

/** Checks the variable USER_AGENT, which no request schema has seen. */
function checkUserAgent(value: string): string {
  const { error } = userAgentValue.safeParse(value);
  if (error === undefined) return value;
  throw new RequestProblem(
    "invalid-user-agent",
    `The variable USER_AGENT of this installation cannot be sent: ${error.issues[0]?.message}. Change it, or give userAgent.`,
    "userAgent",
  );
}

/** A limit that cannot be read must not mean that there is none. */
function checkMaxCost(value: number): number {
  if (!Number.isNaN(value)) return value;
  throw new RequestProblem(
    "invalid-max-cost",
    'The variable MAX_COST_USD of this installation is neither a number of US dollars nor "none". Change it, or give maxCostUsd.',
    "maxCostUsd",
  );
}

/** For HTTP's own log-in. */
export const NO_LOG_IN =
  "A user name and a password in a URL are not sent. Leave them out, and give the header `Authorization`: `Basic` and the Base64 of NAME:PASSWORD.";

/** The canonical URL of a seed. Throws RequestProblem. */
export function toSeed(seed: string, path: string, installation: Installation): string {
  if (hasUserInfo(seed.trim())) throw new RequestProblem("invalid-url", NO_LOG_IN, path);
  const url = canonicalize(seed.trim());
  if (url === null) {
    throw new RequestProblem(
      "invalid-url",
      `"${seed.slice(0, 200)}" is not an http or https URL, such as https://example.com/.`,
      path,
    );
  }
  if (url.length > MAX_URL_LENGTH)
    throw new RequestProblem("too-long", `The URL is longer than ${MAX_URL_LENGTH} characters.`, path);
  checkHost(url, path, installation);
  return url;
}

/** Throws RequestProblem for what is no pattern of private hosts, and where none may be asked. */
function toPrivate(written: string, path: string, { privateAccess }: Installation): string {
  const pattern = written.trim().toLowerCase();
  const problem = privatePatternProblem(pattern);
  if (problem !== null) throw new RequestProblem("invalid-host", `"${written}": ${problem}.`, path);
  if (privateAccess !== "none") return pattern;
  throw new RequestProblem(
    "private-address",
    'This installation asks no private address. Set ALLOW_PRIVATE to "seeds", so that crawls ask those that they name.',
    path,
  );
}

/** A host that somebody else may have proves by itself whose it is. */
function toOwnHost(written: string, path: string, installation: Installation): string {
  const host = written.trim();
  // A URL parser takes "*" and "," as parts of a name.
  const url = /^[^/?#@\\*,]+$/.test(host) ? canonicalize(`http://${host}/`) : null;
  if (url === null)
    throw new RequestProblem(
      "invalid-host",
      `"${written}" is not a host, such as 10.0.0.5 or wiki.internal:8080.`,
      path,
    );
  if (isPublicHost(new URL(url).hostname))
    throw new RequestProblem(
      "public-host",
      `${written} is no private host, so its owner has to show whose it is: \`orbweaver own ${written}\` says how.`,
      path,
    );
  checkHost(url, path, installation);
  // The URL drops this port, and a host without a port stands for all of its ports.
  return new URL(url).host + (/[^:]:0*80$/.test(host) ? ":80" : "");
}
