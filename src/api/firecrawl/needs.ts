import type { Deps } from "../../frontier/deps.ts";
import type { RemoveDeps, StartDeps } from "../../lifecycle/needs.ts";
import type { TemplateDeps } from "../../passes/template/open-template.ts";
import type { FieldDeps } from "../../reading/needs.ts";

/** The dependencies of Firecrawl's paths. */

/** Finds the newest stored page of a URL. */
export type VersionDeps = Pick<Deps, "versions" | "ledger" | "records">;

/** Reads stored pages as documents. */
export type DocumentDeps = TemplateDeps & FieldDeps & Pick<Deps, "ledger" | "archiveIndex">;

/** Searches pages, and reads those that it finds. */
export type SearchDeps = DocumentDeps & Pick<Deps, "searchHits">;

/** Reads a page from the mirror, or by a crawl of its own. */
export type ScrapeDeps = VersionDeps & DocumentDeps & StartDeps & RemoveDeps;
