/**
 * Decides which version of a page is told: servers that take turns show two versions by turns (A, B, A), and each
 * return would be a change. A version that was not there before is told at once. A former version is told only if it
 * stays: for two visits in a row the first time, and twice as many each further time. So what stays is told at last,
 * and turns are told once. A version that needs a second look is told if two visits in a row find it.
 */

/** A page's memory of its versions, by their content hashes. A few hundred bytes. */
export interface ToldVersions {
  /** The version that was told last. */
  told: string;
  /** Versions told before it, the latest last. */
  former: readonly string[];
  /** The version that must stay before it is told, and the visits in a row that found it. */
  back: { hash: string; visits: number } | null;
  /** How many times a former version was told again. */
  returns: number;
}

export type Telling = "nothing" | "tell" | "hold";

const MAX_FORMER = 8;
/** A version that comes back the tenth time stays for a thousand visits before it is told. */
const MAX_RETURNS = 10;

/** `hash`: the page's first version. */
export function firstVersion(hash: string): ToldVersions {
  return { told: hash, former: [], back: null, returns: 0 };
}

/**
 * Call it at each visit, with the content hash that the visit found (for a 304, that of the visit before), and keep
 * what it returns. `needsSecondLook`: whether a new version may not stay. `tell`: tell the change from the version told
 * last. `hold`: the version may not stay.
 */
export function decideTelling(
  versions: ToldVersions,
  hash: string,
  needsSecondLook = false,
): { telling: Telling; versions: ToldVersions } {
  const { told, former, back, returns } = versions;
  if (hash === told) return { telling: "nothing", versions: back === null ? versions : { ...versions, back: null } };
  const next = { told: hash, former: [...former.filter((one) => one !== hash), told].slice(-MAX_FORMER), back: null };
  const isFormer = former.includes(hash);
  const visits = back?.hash === hash ? back.visits + 1 : 1;
  const least = isFormer ? 2 ** (returns + 1) : needsSecondLook ? 2 : 1;
  if (visits < least) return { telling: "hold", versions: { ...versions, back: { hash, visits } } };
  return { telling: "tell", versions: { ...next, returns: isFormer ? Math.min(returns + 1, MAX_RETURNS) : returns } };
}

/** The version is told for another reason than its text, such as a field that has changed: it is the one told last. */
export function tellNow(versions: ToldVersions, hash: string): ToldVersions {
  const { told, former, returns } = versions;
  if (hash === told) return { ...versions, back: null };
  const kept = [...former.filter((one) => one !== hash), told].slice(-MAX_FORMER);
  return { told: hash, former: kept, back: null, returns };
}
