import { refusal } from "../requests/request-problem.ts";

/**
 * Finds the crawl, the schedule or the webhook that a request names by its id, or by the beginning of an id that no
 * other has.
 */

/** The shortest beginning of an id that counts. */
const MIN_LENGTH = 4;
/** The maximum number of ids in a message. */
export const MAX_NAMED_IDS = 3;

/**
 * The id itself, or else the one in `ids` that begins with `given`. `ids`: all ids that do, or at least the first two.
 * Throws 404 if there is none, or more than one.
 */
export function findId(what: "crawl" | "schedule" | "webhook", given: string, ids: readonly string[]): string {
  const found = ids.filter((id) => id === given || (given.length >= MIN_LENGTH && id.startsWith(given)));
  const [first, ...others] = found.includes(given) ? [given] : found;
  if (first === undefined) throw refusal(404, `There is no ${what} ${given}.`);
  if (others.length > 0) {
    const named = found.slice(0, MAX_NAMED_IDS).join(", ");
    throw refusal(404, `The ids of several ${what}s begin with ${given}, such as ${named}.`);
  }
  return first;
}
