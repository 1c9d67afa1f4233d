import type { PageRejected } from "../../crawl/page/outcome.ts";
import { askedPrice } from "./asked-price.ts";
import { MAX_WALL_BYTES, mayBeWall, wallInBody, wallInHeaders } from "./bot-wall.ts";
import { keepBody } from "./keep-answer.ts";
import type { Readable } from "./readable.ts";

/**
 * Tells answers with which a site refuses crawlers from its other errors: a challenge of a bot wall, and a price. Both
 * end their URL: another try would have the same answer, and the host is well.
 */

export type Refused = Pick<PageRejected, "detail"> & { reason: "challenged" | "payment-required" };

/** `isKept`: the body of an error is read afterwards too. `isError` is false for a status of success. */
export async function findRefusal(
  { response, signal, received }: Readable,
  isError: boolean,
  isKept: boolean,
): Promise<Refused | null> {
  const { status, statusText } = response;
  const said = `${status} ${statusText}`.trim();
  const wall = wallInHeaders(response);
  if (wall !== null) return { reason: "challenged", detail: challengeOf(wall, said) };
  if (!isError || (status !== 402 && !mayBeWall(response))) return null;
  // A header may have the price, and then a body need not come.
  const price = askedPrice(response, new Uint8Array(0));
  if (price !== null) return { reason: "payment-required", detail: price };
  const { payload, truncated } = await keepBody(isKept ? response.clone() : response, MAX_WALL_BYTES, signal);
  if (!isKept) received.bytes = payload.byteLength;
  if (truncated !== undefined) return null;
  const found = wallInBody(response, payload);
  if (found !== null) return { reason: "challenged", detail: challengeOf(found, said) };
  const asked = askedPrice(response, payload);
  return asked === null ? null : { reason: "payment-required", detail: asked };
}

/** `said`: the status and its phrase. */
export function challengeOf(wall: string, said: string): string {
  return `${wall} asks for a proof that this is no robot (${said})`;
}
