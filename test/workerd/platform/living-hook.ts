import type { HookRule, HookRules } from "./hook.ts";
import type { LivingSite } from "./living-site.ts";
import type { Random } from "./random.ts";

/** What a hook decides about the pages of a living site, those that are added later too. */

/** More than a site ever has. */
const MAX_PAGES = 60;

/**
 * The first page is always stored, and no call about the URLs that it leads to throws: every other page is found by it.
 */
export function drawLivingHook(site: LivingSite, random: Random): HookRules {
  // The last are more than a row holds, and more than D1 takes in one value.
  const giveFields = (): HookRule => ({
    fieldChars: random.oneOf([100, 100, 100_000, 2_500_000]),
    saysText: random.chance(0.8),
  });
  const kinds: (() => HookRule)[] = [
    giveFields,
    giveFields,
    giveFields,
    () => ({ refuse: true }),
    () => ({ priority: random.between(0, 999) }),
    () => ({ drop: random.oneOf(["pagesDue", "pagesRead"]) }),
    () => ({ throwsAt: random.oneOf(["pagesDue", "pagesRead"]) }),
  ];
  const urls = Array.from({ length: MAX_PAGES }, (_, n) => site.urlOf(n)).filter(() => random.chance(0.4));
  return new Map(urls.map((url) => [url, url === site.home ? giveFields() : random.oneOf(kinds)()]));
}
