import { cookieHeader, readJar } from "../fetch/cookie-jar.ts";
import type { AskAgain } from "../store/asking-again.ts";
import type { Attempt } from "./attempt.ts";
import type { Deps } from "./deps.ts";

/**
 * Finds the redirects that lead back into their own chain with other cookies than before. A site that sets a cookie and
 * sends its visitor back gives the page at the second request.
 */
export async function gatherReturns(crawl: string, attempts: readonly Attempt[], deps: Deps): Promise<AskAgain[]> {
  const leading = attempts.flatMap(({ work, outcome, redirect, cookies }) => {
    const { url, redirects } = work.row;
    if (redirect === null || cookies === null || (redirects === 0 && redirect !== url)) return [];
    return [{ url: redirect, page: url, fetchedAt: outcome.fetchedAt, redirects: redirects + 1, cookies }];
  });
  if (leading.length === 0) return [];
  const before = await deps.ledger.returns(
    crawl,
    leading.map(({ url, page }) => ({ url: page, target: url })),
  );
  const now = deps.clock.now();
  const changed = leading.filter(({ url, page, cookies }) => {
    const asked = before.get(page);
    if (asked === undefined) return false;
    return cookieHeader(readJar(cookies), url, now) !== cookieHeader(readJar(asked), url, now);
  });
  return [...new Map(changed.map((again) => [again.url, again])).values()];
}
