import { signatureOf, signerOf } from "./signature.ts";
import type { Identity } from "./tokens.ts";

/**
 * What lets a replay in. A mirrored page is sandboxed, so a browser sends no session along with what it loads and where it leads: its
 * addresses hold a key instead, which reads this one crawl for some hours and does nothing else.
 */

const LIFETIME_S = 12 * 60 * 60;
/** Ends fall on full hours, so that pages opened after one another have the same addresses. */
const STEP_S = 60 * 60;
const PURPOSE = "replay";

/** `EXPIRY.SIGNATURE`. */
export async function replayKey(crawl: string, identity: Identity, now: number): Promise<string> {
  const expiry = Math.ceil((now / 1000 + LIFETIME_S) / STEP_S) * STEP_S;
  return `${expiry}.${await signatureOf(PURPOSE, `${expiry} ${crawl}`, identity)}`;
}

/** With whose token the key was made; null for one that is forged, over, or another crawl's. */
export async function identityOfReplay(
  crawl: string,
  key: string,
  accepted: readonly Identity[],
  now: number,
): Promise<Identity | null> {
  const [expiry = "", signature = ""] = key.split(".");
  if (!/^\d{1,12}$/.test(expiry) || Number(expiry) * 1000 <= now) return null;
  return signerOf(PURPOSE, `${expiry} ${crawl}`, signature, accepted);
}

/** An address of the replay: its crawl, its key where it has one, and the mirrored URL as it stands there, query included. */
export interface ReplayAddress {
  crawl: string;
  key: string | null;
  url: string;
}

/** Null for an address of anything else. Slashes that a proxy merged are put back behind the scheme. */
export function readReplayAddress(address: string): ReplayAddress | null {
  const { pathname, search } = new URL(address);
  const found = /^\/replay\/([^/]+)\/(?:(\d+\.[0-9a-f]+)\/)?(.+)$/.exec(pathname);
  if (found === null) return null;
  const [, crawl = "", key = null, rest = ""] = found;
  return { crawl, key, url: rest.replace(/^(https?):\/*/i, "$1://") + search };
}

export function replayPrefix(crawl: string, key: string | null): string {
  return key === null ? `/replay/${crawl}/` : `/replay/${crawl}/${key}/`;
}
