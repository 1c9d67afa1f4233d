import type { PageResult } from "../../crawl/page/outcome.ts";
import { ALL_SAID, type PageWants } from "../../fetch/request/page-request.ts";
import { mayAsk } from "../lane/may-ask.ts";
import { wantsOfUnlisted } from "../lane/request-of-work.ts";
import type { PageWork } from "../work.ts";
import type { Opening } from "./feature.ts";

/** Asks for another page of the host, to compare it with one of the lane. Null if it may not be asked now. */
export type Probe = (url: string, work: PageWork, wants?: Partial<PageWants>) => Promise<PageResult | null>;

export function probeOf({ ask, deps }: Pick<Opening, "ask" | "deps">): Probe {
  return async (url, work, wants = { version: ALL_SAID }) => {
    if (deps.invocations.left === 0 || !(await mayAsk(url, work, deps))) return null;
    const answer = await ask(url, work, { ...wantsOfUnlisted(work), ...wants });
    return answer?.result ?? null;
  };
}
