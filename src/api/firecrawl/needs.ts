import type { Deps } from "../../frontier/deps.ts";
import type { LedgersDeps } from "../../frontier/ledgers.ts";
import type { DiffDeps } from "../../frontier/visits/diff-page.ts";
import type { NewCrawlDeps, RemoveDeps } from "../../lifecycle/needs.ts";
import type { StartPassDeps } from "../../passes/needs.ts";
import type { TemplateDeps } from "../../passes/template/open-template.ts";
import type { FieldDeps, ValueDeps } from "../../reading/needs.ts";
import type { Store } from "../../store/store.ts";

/** The dependencies of Firecrawl's paths. */

/** Finds the newest stored page of a URL. */
export type VersionDeps = LedgersDeps & Pick<Deps, "versions" | "ledger" | "records">;

/** Reads stored pages as documents. */
export type DocumentDeps = TemplateDeps & FieldDeps & Pick<Deps, "ledger" | "archiveIndex">;

/** Searches pages, and reads those that it finds. */
export type SearchDeps = DocumentDeps & LedgersDeps & Pick<Deps, "searchHits">;

/** Has a model find values in a page. */
export type ModelDeps = ValueDeps & Pick<Deps, "model" | "clock">;

/** Says how far a job is. */
export type JobStateDeps = StartPassDeps & LedgersDeps & Pick<Deps, "extractions" | "model">;

/** Says how far a job is, and reads its pages. */
export type JobDeps = DocumentDeps & JobStateDeps;

/** Shows watches as monitors, with their checks. */
export type MonitorDeps = DiffDeps & Pick<Deps, "changes" | "dueVisits" | "webhooks" | "records" | "clock">;

/** Reads an uploaded document. */
export type ParseDeps = Pick<Deps, "readContent" | "model" | "clock">;

/** Reads the values of a job. */
export type ExtractJobDeps = JobStateDeps & Pick<Deps, "records">;

/** Reads a page from the mirror, or by a crawl of its own. */
export type ScrapeDeps = VersionDeps &
  DocumentDeps &
  NewCrawlDeps &
  RemoveDeps &
  ModelDeps &
  Pick<Store, "sealedValues">;
