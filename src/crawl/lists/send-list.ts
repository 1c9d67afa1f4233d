import { createHash } from "node:crypto";
import type { InvalidEntry, ListedSeed } from "./page-url.ts";

/** Starts a crawl of more seeds than one request may have. */

/** URLs of one request, and their characters: its body may have 1 MiB, and UTF-8 is in escapes where a URL needs it. */
const MAX_URLS = 5_000;
const MAX_CHARACTERS = 700_000;
/** Refused first URLs after which the installation is to blame, and not the list. */
const MAX_REFUSED = 20;
/** What may be wrong with a seed, and says nothing of the others. */
const SEED_PROBLEMS: ReadonlySet<string | undefined> = new Set([
  ...["invalid-url", "too-long", "private-address", "ip-address"],
]);

export interface StartedList {
  id: string;
  webhookSecret?: string;
  /** What the installation does not crawl. */
  refused: InvalidEntry[];
}

interface Sending {
  tell?: (sent: number) => void;
  stop?: AbortSignal;
  /** Sends nothing more after a portion of which something is refused: the crawl does not start. */
  isWhole?: boolean;
}

/** An installation, in this process or elsewhere. */
export interface Lists {
  /** Begins the crawl of a list with this name. */
  start(request: Record<string, unknown>, list: string): Promise<{ id: string; webhookSecret?: string }>;
  addSeeds(
    id: string,
    urls: readonly string[],
    last: boolean,
  ): Promise<{ refused: { index: number; message: string }[] }>;
  /** What a refusal by `start` names as wrong; null for other errors. */
  mistakesOf(error: unknown): readonly { code?: string; message: string; path?: string }[] | null;
}

/**
 * Sends the crawl with its first seed, then all in portions, and starts it. After an interruption the
 * same call goes on. `tell`: gets the number of seeds that were sent.
 */
export async function startList(
  request: Record<string, unknown>,
  seeds: readonly ListedSeed[],
  client: Lists,
  { tell = () => undefined, stop, isWhole = false }: Sending = {},
): Promise<StartedList> {
  const name = digestOf(request, seeds);
  const refused: InvalidEntry[] = [];
  const started = await begin(request, seeds, name, client, refused);
  let at = refused.length;
  while (at < seeds.length) {
    stop?.throwIfAborted();
    const portion = portionFrom(seeds, at);
    at += portion.length;
    const urls = portion.map(({ url }) => url);
    const answer = await client.addSeeds(started.id, urls, false);
    for (const { index, message } of answer.refused) {
      const seed = portion[index];
      if (seed !== undefined) refused.push({ place: seed.place, text: seed.url, why: message });
    }
    tell(at);
    if (isWhole && refused.length > 0) return { ...started, refused };
  }
  await client.addSeeds(started.id, [], true);
  return { ...started, refused };
}

/** Begins with the first seed that the installation crawls. */
async function begin(
  request: Record<string, unknown>,
  seeds: readonly ListedSeed[],
  name: string,
  client: Lists,
  refused: InvalidEntry[],
): Promise<{ id: string; webhookSecret?: string }> {
  for (const { url, place } of seeds) {
    try {
      return await client.start({ ...request, urls: [url] }, name);
    } catch (error) {
      const mistake = client.mistakesOf(error)?.[0];
      const isOfSeed = mistake?.path === "urls.0" && SEED_PROBLEMS.has(mistake.code);
      if (!isOfSeed || refused.length === Math.min(MAX_REFUSED, seeds.length - 1)) throw error;
      refused.push({ place, text: url, why: mistake.message });
    }
  }
  throw new Error("a list without a seed was sent");
}

function portionFrom(seeds: readonly ListedSeed[], from: number): readonly ListedSeed[] {
  let characters = 0;
  let to = from;
  for (; to < seeds.length && to - from < MAX_URLS; to++) {
    characters += (seeds[to]?.url.length ?? 0) + 3;
    if (to > from && characters > MAX_CHARACTERS) break;
  }
  return seeds.slice(from, to);
}

/** The same list with the same options has the same name. */
function digestOf(request: Record<string, unknown>, seeds: readonly ListedSeed[]): string {
  const hash = createHash("sha256").update(JSON.stringify(request));
  for (const { url } of seeds) hash.update(`\n${url}`);
  return hash.digest("hex");
}
