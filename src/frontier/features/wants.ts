import { hopsFromSeed } from "../../fetch/answer/capture-page.ts";
import { ASKS_NOTHING, type PageWants, type VersionRequest } from "../../fetch/request/page-request.ts";
import { captureOf, documentOf, wantsOfAny, wantsOfAsset } from "../lane/request-of-work.ts";
import type { PageWork } from "../work.ts";
import type { PageSteps } from "./feature.ts";
import type { Featured } from "./list.ts";

/** What is wanted of the page of a row: fetched, read as a document, or read again from the mirror. */

/** `steps`: those of the features. */
export function wantsOf(work: PageWork, steps: readonly PageSteps[]): PageWants {
  if (work.row.kind === "asset") return wantsOfAsset(work);
  const wants: PageWants = { ...ASKS_NOTHING, ...plainWants(work) };
  for (const step of steps) {
    const own: Partial<PageWants> = step.wants?.(work) ?? {};
    Object.assign(wants, own, { version: both(wants.version, own.version ?? null) });
  }
  return wants;
}

/** What belongs to no feature. A new field of a request does not compile until it stands here or a feature sets it. */
function plainWants(work: PageWork): Omit<PageWants, Featured> {
  const { depth, via } = work.row;
  const { assets, documents, search } = work.context.crawl.options;
  return {
    ...wantsOfAny(work),
    ...{ assets, documents, search, asset: false, drawn: null },
    capture: captureOf(work, via, hopsFromSeed(depth, 0)),
    document: documentOf(work),
  };
}

/** Several features may compare a page: then it is read so that it serves all of them. */
function both(one: VersionRequest | null, other: VersionRequest | null): VersionRequest | null {
  if (one === null || other === null) return one ?? other;
  return { ignoredElements: [...one.ignoredElements, ...other.ignoredElements] };
}
