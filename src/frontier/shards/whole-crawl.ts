import { addUsage, type Usage } from "../../crawl/bounds/usage.ts";
import type { Counters, Crawl } from "../../crawl/crawl.ts";
import { ledgerOfUrl, partIn, partsOf } from "../../crawl/shards/shards.ts";
import type { Deps } from "../deps.ts";
import { atLedger, homeOf, type LedgersDeps } from "../ledgers.ts";
import { askPart } from "./apply-intents.ts";
import type { Intent } from "../../store/shards/shard-intents.ts";

/** Crawls over several ledgers, for people: the sum of their parts, and the part that has a URL. */

export type WholeDeps = LedgersDeps & Pick<Deps, "ledger" | "shardParts">;

const DOING: Record<Intent["kind"], string> = {
  pause: "pausing",
  resume: "resuming",
  cancel: "cancelling",
  amend: "changing its limits",
  retry: "retrying",
  end: "ending",
};

/**
 * A crawl over several ledgers with the counters of all its parts, which are read one after another. A crawl in one
 * ledger is returned as it is. Throws SilentLedger if the ledger of a part does not answer.
 */
export async function readWhole(crawl: Crawl, deps: WholeDeps): Promise<Crawl> {
  const { shards } = crawl;
  if (shards === null) return crawl;
  const { shardParts } = homeOf(deps, shards.home);
  const [home, parts, states] = await Promise.all([
    shardParts.home(shards.home),
    Promise.all(partsOf(shards).map((part) => homeOf(deps, part).ledger.crawl(part))),
    Promise.all(partsOf(shards).map((part) => askPart(part, deps))),
  ]);
  const there = parts.flatMap((part) => part ?? []);
  const last = home?.lastIntent ?? 0;
  const reached = states.filter((state) => state !== null && state.intent >= last).length;
  const [doing] = reached < parts.length ? await shardParts.intents(shards.home, last - 1) : [];
  const waitingFor =
    reached === parts.length
      ? (there.flatMap((part) => part.waitingFor ?? [])[0] ?? null)
      : `${doing === undefined ? "starting" : DOING[doing.intent.kind]}, ${reached} of ${parts.length}`;
  return { ...crawl, ...sumOf(crawl, there), waitingFor };
}

function sumOf(home: Crawl, parts: readonly Crawl[]): Partial<Crawl> {
  const sum = (of: (part: Crawl) => number) => parts.reduce((all, part) => all + of(part), 0);
  const usage: Usage = {};
  for (const part of parts) addUsage(usage, part.usage);
  const newest = parts.toSorted((a, b) => b.updatedAt - a.updatedAt);
  const failures = parts.flatMap(({ lastFailure }) => lastFailure ?? []).sort((a, b) => b.at - a.at);
  const starts = parts.flatMap(({ startedAt }) => startedAt ?? []);
  const names = Object.keys(home.counters) as (keyof Counters)[];
  const counters = Object.fromEntries(names.map((name) => [name, sum((part) => part.counters[name])]));
  return {
    counters: counters as unknown as Counters,
    assets: {
      pending: sum(({ assets }) => assets.pending),
      queued: sum(({ assets }) => assets.queued),
      completed: sum(({ assets }) => assets.completed),
    },
    hosts: [...new Set(parts.flatMap(({ hosts }) => hosts))],
    dryPages: sum(({ dryPages }) => dryPages),
    shells: sum(({ shells }) => shells),
    rendered: sum(({ rendered }) => rendered),
    bytes: sum(({ bytes }) => bytes),
    usage,
    updatedAt: newest[0]?.updatedAt ?? home.updatedAt,
    startedAt: starts.length === 0 ? null : Math.min(...starts),
    lastUrl: newest.flatMap(({ lastUrl }) => lastUrl ?? [])[0] ?? null,
    lastFailure: failures[0] ?? null,
  };
}

/**
 * The part of a crawl that has this URL, and dependencies on its ledger; the crawl itself if it is in one ledger. Null
 * for a part that is not there yet. `url`: canonical.
 */
export async function partOfUrl<D extends WholeDeps>(
  crawl: Crawl,
  url: string,
  deps: D,
): Promise<{ crawl: Crawl; deps: D } | null> {
  if (crawl.shards === null) return { crawl, deps };
  const ledger = ledgerOfUrl(url, crawl.shards);
  const at = atLedger(deps, ledger);
  const part = await at.ledger.crawl(partIn(ledger, crawl.shards.home));
  return part === null ? null : { crawl: part, deps: at };
}
