import type { PageWants } from "../../fetch/request/page-request.ts";
import { isKept } from "../attempt.ts";
import type { SecondLook } from "../visits/look-twice.ts";
import type { PageWork } from "../work.ts";
import { type RunningLane, requestPage } from "./fetch-page.ts";
import { secretsOf, wantsOfUnlisted } from "./request-of-work.ts";

/**
 * Looks at a page a second time, moments after its visit, in the same lane: what the two looks differ in is noise. The
 * second one has no validators, leaves nothing in the archive, and sends no cookie that the first one was given.
 */

export function secondLookOf(work: PageWork, running: RunningLane): SecondLook {
  return async () => {
    const { features, driver, batch } = running;
    if (batch.deps.invocations.left === 0) return "later";
    const { version, render } = features.wants(work);
    const wants: PageWants = { ...wantsOfUnlisted(work), version, render };
    // A crawl that keeps cookies is known by them, and would be shown what it is not shown else.
    const { keepCookies } = work.context.crawl.options;
    const secrets = keepCookies ? features.secretsFor(work) : secretsOf(work.row.url, work.context);
    const answer = await driver.ask((sending) => requestPage(work, wants, secrets, sending, running, null));
    if (answer === null) return "later";
    return isKept(answer.result) ? answer.result.version : null;
  };
}
