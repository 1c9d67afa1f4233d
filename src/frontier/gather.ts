import type { Discovery } from "../crawl/crawl.ts";
import type { Refusal } from "../scope/refusal.ts";
import { decideScope, type ScopeDecision } from "../scope/scope.ts";
import { decideTrap, variantPattern } from "../scope/traps.ts";
import type { CrawlCommit, PageRefusals } from "../store/ledger-commit.ts";
import type { Attempt } from "./attempt.ts";
import type { CrawlContext } from "./context.ts";
import type { Deps } from "./deps.ts";

/** What the attempts of a batch have to say to the ledger: outcomes, and of their links those that scope takes, that are no trap and that may be new. */

const EXAMPLES = 3;

/** What one crawl's attempts have to say, and the links that will be in the ledger once it is said. */
export async function gather(
  attempts: Attempt[],
  deps: Deps,
): Promise<{ commit: CrawlCommit; links: Iterable<string> }> {
  const [{ work } = never()] = attempts;
  const { context } = work;
  const crawl = context.crawl.id;
  const seen = deps.seen.of(crawl);
  const found = new Map<string, Discovery>();
  const refused = new Refused();
  const joinedHosts = new Set<string>();
  const duplicates = await duplicatePages(attempts, context, deps);

  for (const attempt of attempts) {
    const { row } = attempt.work;
    if (attempt.redirect !== null) followRedirect(attempt, attempt.redirect, found, joinedHosts);
    const { count, examples } = attempt.nofollow;
    if (count > 0) refused.add(row.url, "nofollow", examples, count);
    if (duplicates.has(attempt)) {
      refused.add(
        row.url,
        "duplicate-page",
        attempt.links.filter((url) => !seen.isRecent(url)),
      );
      continue;
    }
    const page = variantPattern(row.url);
    for (const url of attempt.links) {
      if (seen.isRecent(url)) continue;
      const link = place(attempt, url, page);
      const decision = decideLink(context, link, row.url);
      if (decision.accept) add(found, link);
      else refused.add(row.url, decision.reason, [url]);
    }
  }

  const maybe = [...found.keys()].filter((url) => seen.ask(url) === "maybe");
  const unknown = maybe.length > 0 ? await deps.ledger.unknown(crawl, maybe) : new Set<string>();
  const known = new Set(maybe.filter((url) => !unknown.has(url)));
  const fresh = [...found.values()].filter(({ url }) => !known.has(url));
  const over = await overBudget(fresh, context, deps);
  for (const { url, via } of over) {
    found.delete(url);
    if (via !== null) refused.add(via, "variants", [url]);
  }
  return {
    commit: {
      crawl,
      outcomes: attempts.map(({ outcome }) => outcome),
      discoveries: fresh.filter((discovery) => !over.has(discovery)),
      refusals: refused.entries(),
      joinedHosts: [...joinedHosts],
    },
    links: found.keys(),
  };
}

/** Links that were refused, by the page that they are on and the reason. */
class Refused {
  readonly #entries = new Map<string, PageRefusals>();

  add(page: string, reason: Refusal, urls: string[], count = urls.length): void {
    if (count === 0) return;
    const key = `${reason} ${page}`;
    const entry = this.#entries.get(key) ?? { page, reason, count: 0, examples: [] };
    entry.count += count;
    entry.examples.push(...urls.slice(0, EXAMPLES - entry.examples.length));
    this.#entries.set(key, entry);
  }

  entries(): PageRefusals[] {
    return [...this.#entries.values()];
  }
}

/** A link as it goes into the ledger. `page` is the pattern of the page that it is on. */
function place({ work: { row, context } }: Attempt, url: string, page: string | null): Discovery {
  const pattern = page !== null && variantPattern(url) === page ? page : null;
  return {
    url,
    via: row.url,
    depth: row.depth + 1,
    priority: context.priorityOf(url),
    redirects: 0,
    chain: pattern === null ? 0 : row.chain + 1,
    pattern,
  };
}

/** Scope, then what the URL itself tells of traps, then the chain of variants that it ends. */
function decideLink(
  context: CrawlContext,
  link: Pick<Discovery, "url" | "depth" | "chain">,
  via: string,
): ScopeDecision {
  const decision = decideScope(context.scope, link.url, link.depth);
  if (!decision.accept) return decision;
  const { traps } = context.crawl.options;
  const trap = decideTrap(traps, link.url, via);
  if (trap !== null) return { accept: false, ...trap };
  if (link.chain <= traps.maxChain) return decision;
  return { accept: false, reason: "chain", detail: `${link.chain} in a row` };
}

/** Attempts whose content the crawl holds as often as its links are to be followed. */
async function duplicatePages(attempts: Attempt[], context: CrawlContext, deps: Deps): Promise<Set<Attempt>> {
  const most = context.crawl.options.traps.maxDuplicates;
  const linking = attempts.filter(({ outcome, links }) => outcome.sha256 !== null && links.length > 0);
  const digests = [...new Set(linking.map(({ outcome }) => outcome.sha256 as string))];
  if (digests.length === 0) return new Set();
  const copies = await deps.ledger.copies(context.crawl.id, digests, most);
  return new Set(
    linking.filter(({ outcome }) => {
      const before = copies.get(outcome.sha256 as string) ?? 0;
      copies.set(outcome.sha256 as string, before + 1);
      return before >= most;
    }),
  );
}

/** Those of the new URLs that go beyond what their pattern may have. */
async function overBudget(fresh: Discovery[], context: CrawlContext, deps: Deps): Promise<Set<Discovery>> {
  const variants = fresh.filter(({ pattern }) => pattern !== null);
  if (variants.length === 0) return new Set();
  const most = context.crawl.options.traps.maxVariants;
  const patterns = [...new Set(variants.map(({ pattern }) => pattern as string))];
  const counts = await deps.ledger.variants(context.crawl.id, patterns);
  return new Set(
    variants.filter(({ pattern }) => {
      const before = counts.get(pattern as string) ?? 0;
      counts.set(pattern as string, before + 1);
      return before >= most;
    }),
  );
}

/** A redirect's target is decided on like any link, at its origin's depth. Where a seed leads to another host, that host joins. */
function followRedirect(
  attempt: Attempt,
  target: string,
  found: Map<string, Discovery>,
  joinedHosts: Set<string>,
): void {
  const {
    outcome,
    work: { row, context },
  } = attempt;
  const link = { ...place(attempt, target, variantPattern(row.url)), depth: row.depth, redirects: row.redirects + 1 };
  const decision = decideLink(context, link, row.url);
  const joins = !decision.accept && decision.reason === "off-host" && row.depth === 0;
  if (!decision.accept && !joins) {
    outcome.detail = `${outcome.detail}, which scope refuses: ${decision.detail}`;
    return;
  }
  if (joins) joinedHosts.add(new URL(target).host);
  add(found, link);
}

/** Found twice in a batch, a URL keeps the shorter way to it. */
function add(found: Map<string, Discovery>, discovery: Discovery): void {
  const known = found.get(discovery.url);
  if (known === undefined || discovery.depth < known.depth) found.set(discovery.url, discovery);
}

function never(): never {
  throw new Error("a crawl without attempts");
}
