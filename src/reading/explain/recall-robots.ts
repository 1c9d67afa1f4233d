import type { Crawl } from "../../crawl/crawl.ts";
import { usesOf } from "../../crawl/crawl-options.ts";
import type { Fetching } from "../../frontier/deps.ts";
import { rightsOf } from "../../frontier/lane/host-rights.ts";
import type { RecalledRobots } from "../../host/gate-protocol.ts";
import { productToken } from "../../robots/product-token.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { hostKey, originOf } from "../../url/host-key.ts";

/**
 * Reads the stored robots.txt of an origin. `origin` may be any URL of it; the default is the origin of `url`, or of
 * the first seed. Null when either is not an http or https URL, or when they have different origins.
 */
export async function recallRobots(
  { options }: Pick<Crawl, "options">,
  asked: { origin?: string | undefined; url?: string | undefined },
  deps: Pick<Fetching, "gate">,
): Promise<RecalledRobots | null> {
  const url = asked.url === undefined ? null : canonicalize(asked.url);
  const there = canonicalize(asked.origin ?? asked.url ?? options.urls[0] ?? "");
  if (there === null || (asked.url !== undefined && url === null)) return null;
  const origin = originOf(there);
  if (url !== null && originOf(url) !== origin) return null;
  const agent = productToken(options.userAgent);
  const recollection = await deps.gate(hostKey(there)).recall({
    ...{ origin, url, agent, uses: usesOf(options) },
    ...rightsOf(options)(there),
  });
  return { ...recollection, origin, agent, url };
}
