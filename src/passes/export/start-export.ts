import { PRICES } from "../../crawl/bounds/usage.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { Store } from "../../store/store.ts";
import type { StartPassDeps } from "../needs.ts";
import { CPU_MS_PER_MADE } from "../page-content.ts";
import { beginPass, type StartedPass } from "../start-pass.ts";
import { type ExportOrder, MAX_EXPORT_PARTS, putOrder, TOO_LONG } from "./write-export.ts";

/** Begins an export in the background. A crawl has one file: a new one replaces the last. */
export async function startExport(
  crawl: Crawl,
  order: ExportOrder,
  deps: StartPassDeps & Pick<Store, "passObjects">,
): Promise<StartedPass> {
  if (order.parts > MAX_EXPORT_PARTS) return { kind: "refused", why: TOO_LONG };
  return beginPass(crawl, deps, {
    kind: "export",
    usd: exportUsd(crawl),
    prepare: (pass) => putOrder(pass, order, deps.passObjects),
  });
}

/** A page takes up to three reads of R2, and what is made of it is written. */
function exportUsd({ counters }: Crawl): number {
  const perPage = CPU_MS_PER_MADE * PRICES.cpuMs + 3 * PRICES.mirrorReads + PRICES.mirrorWrites;
  return (counters.completed * perPage) / 1_000_000;
}
