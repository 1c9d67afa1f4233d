import { signatureOf, signerOf } from "./signature.ts";
import type { Identity } from "./tokens.ts";

/**
 * Replay keys. A mirrored page is sandboxed, so the browser sends no session for its images and links. Instead, its
 * addresses have a key, which can only read this one crawl, for some hours.
 */

const KEY_LIFETIME_S = 12 * 60 * 60;
/** Keys expire at full hours, so that pages opened one after another have the same addresses. */
const STEP_S = 60 * 60;
const PURPOSE = "replay";

/** `EXPIRY.SIGNATURE`. */
export async function replayKey(crawl: string, identity: Identity, now: number): Promise<string> {
  const expiry = Math.ceil((now / 1000 + KEY_LIFETIME_S) / STEP_S) * STEP_S;
  return `${expiry}.${await signatureOf(PURPOSE, `${expiry} ${crawl}`, identity)}`;
}

/** The identity that made the key. null if the key is forged, has expired or is for another crawl. */
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
