import type { PageWants } from "../../fetch/request/page-request.ts";
import { isKept } from "../attempt.ts";
import type { SecondLook } from "../visits/look-twice.ts";
import type { PageWork } from "../work.ts";
import { type RunningLane, requestPage } from "./fetch-page.ts";
import { secretsOf, wantsOfUnlisted } from "./request-of-work.ts";

/**
 * Looks at a page a second time, moments after its visit, in the same lane: what the two looks differ in is noise. The
 * second one has no validators, leaves nothing in the archive, and sends no cookie that the first one was given, unless
 * the crawl is known by its cookies: then a stranger would be shown another page.
 */

export function secondLookOf(work: PageWork, running: RunningLane): SecondLook {
  return async () => {
    const { features, driver, batch } = running;
    if (batch.deps.invocations.left === 0) return "later";
    const { version, render } = features.wants(work);
    const wants: PageWants = { ...wantsOfUnlisted(work), version, render };
    const { keepCookies, session } = work.context.crawl.options;
    const isKnown = keepCookies || session !== "";
    const secrets = isKnown ? features.secretsFor(work) : secretsOf(work.row.url, work.context);
    const answer = await driver.ask((sending) => requestPage(work, wants, secrets, sending, running, null));
    if (answer === null) return "later";
    if (isKnown) features.receive(work, answer.result);
    return isKept(answer.result) ? answer.result.version : null;
  };
}
