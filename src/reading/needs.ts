import type { Deps } from "../frontier/deps.ts";
import type { Stores } from "../store/mirror/read-mirror.ts";
import type { Store } from "../store/store.ts";

/**
 * What this room uses. A function takes one of these, or names its members. Stored pages are read with `Stores`, and
 * what is made of them with `Reading` (read-formats.ts).
 */

/** Reads the results of passes. */
export type PassResults = Pick<Store, "passes" | "passObjects">;

/** Reads fields of stored pages by rules. */
export type FieldDeps = Stores & Pick<Deps, "readFields">;

/** Finds values in pages by a model. */
export type ValueDeps = Stores & {
  modelAnswers: Pick<Store["modelAnswers"], "find" | "reserve" | "release" | "keep">;
} & Pick<Deps, "readContent" | "gate">;

/** Says when a page of a watch is visited next. */
export type NextVisitDeps = Pick<Deps, "dueVisits" | "clock">;

/** Tells how a watch does, and what it visits next. */
export type WatchDeps = NextVisitDeps & Pick<Store, "surveys" | "changes">;

/** Tells what a watch noticed and held back in a month. */
export type MonthDeps = Pick<Deps, "clock"> & Pick<Store, "months" | "pageTroubles">;

/** Shows the hosts of a crawl. */
export type HostDeps = Pick<Deps, "motion" | "samePages" | "gate">;

/** Explains what becomes of a URL. */
export type ExplainDeps = NextVisitDeps & HostDeps & Pick<Store, "ledger" | "records" | "packs" | "endlessHosts">;
