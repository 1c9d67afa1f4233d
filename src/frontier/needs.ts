import type { Stores } from "../store/mirror/read-mirror.ts";
import type { PauseDeps } from "./batch/require-room.ts";
import type { Deps } from "./deps.ts";
import type { HostTemplateDeps } from "./lane/host-templates.ts";
import type { LedgersDeps } from "./ledgers.ts";

/**
 * What several files of this room use. A function takes one of these, or names its members. A batch and a document take
 * all of `Deps`: every step of every feature is on their way.
 */

/** Opens the crawls of URLs. */
export type ContextDeps = Stores &
  Pick<Deps, "clock" | "contexts" | "ledger" | "marks" | "sealedValues" | "topics" | "readPage">;

/** Opens the features of a lane, or of a document without one, and takes their steps. */
export type OpeningDeps = Stores &
  LearnedDeps &
  Pick<Deps, "cookies" | "hook" | "logIn" | "logIns" | "meter" | "renderMemory" | "sessions" | "waitingDocuments"> &
  ProbeDeps;

/** Asks hosts on behalf of a page, and reads stored pages. */
type ProbeDeps = Pick<Deps, "gate" | "invocations" | "random" | "readPage">;

/** Knows what same pages and endless patterns have taught. */
type LearnedDeps = Pick<
  Deps,
  | "clock"
  | "endlessHosts"
  | "groupCounts"
  | "learned"
  | "ledger"
  | "records"
  | "samePagePartners"
  | "samePages"
  | "sitemaps"
>;

/** Takes the steps of features with what a group of pages brings. */
export type FindingDeps = LearnedDeps & Pick<Deps, "withheldUrls">;

/** Makes one commit of what a group of pages brings. */
export type GatherDeps = FindingDeps & Pick<Deps, "crawlTemplates" | "seen" | "signals">;

/** Compares a visited page with what is stored. */
export type SettleDeps = HostTemplateDeps &
  Pick<Deps, "clock" | "hostTemplates" | "ledger" | "recentAnswers" | "secondLooks" | "watchHosts">;

/** Calls the hook, and settles or sends again what it failed on. */
export type HookDeps = SettleDeps & Pick<Deps, "frontier" | "hookFailures">;

/** Settles URLs that rules hold back. */
export type WithheldDeps = HookDeps & Pick<Deps, "endlessHosts" | "hook" | "samePages" | "seen" | "withheldUrls">;

/** Looks again at pages whose depth was lowered. */
export type LookAgainDeps = GatherDeps & PauseDeps & Pick<Deps, "lowered" | "packs">;

/** Commits attempts, and does what follows. */
export type CommitDeps = LookAgainDeps & ShardDeps & Pick<Deps, "meter" | "notices" | "told" | "unbilled">;

/** Changes the parts of crawls over several ledgers. */
export type ShardDeps = WithheldDeps & LedgersDeps & Pick<Deps, "shardOutbox" | "shardParts">;

/** Writes packs, with the robots.txt of their hosts. */
export type PackDeps = Pick<Deps, "archiveIndex" | "clock" | "gate" | "ledger" | "packs" | "recordedRobots">;

/** Settles URLs that failed too often. */
export type DeadLetterDeps = ShardDeps & Pick<Deps, "documentQueue" | "notices" | "told">;

/** Sends hints again, as long as they may fail. */
export type RetryDeps = DeadLetterDeps & Pick<Deps, "limits" | "random">;

/** Sends documents to their readers. */
export type SendDocumentDeps = Pick<Deps, "clock" | "documentQueue" | "ledger" | "meter" | "waitingDocuments">;

/** Knows whose turn it is at the reader. */
export type TurnDeps = Pick<Deps, "boot" | "clock" | "documents" | "documentTurns" | "limits">;
