/**
 * How the page limit of a crawl over several ledgers is divided. Each part has a page limit of its own, its grant, and
 * the grants together are never more than the limit. The home notes for each part a bound that its grant never exceeds.
 * A grant grows after its bound, and shrinks before it. Each change has a number, and a part applies none that is older
 * than its last one: so a change that comes late changes nothing, and where a part's number is that of the note, its
 * grant is what the part says.
 */

/** What the home notes of one part. */
export interface Grant {
  /** The part's page limit is never more than this. */
  bound: number;
  /** The page limit that the change sets, or what is nearest to it that the part's pages allow. */
  target: number;
  /** The number of the change. */
  number: number;
}

/** What a part says of itself, at one moment. */
export interface GrantUse {
  /** Its grant, and the number of the change that set it. */
  pageLimit: number;
  number: number;
  /** Pages that count towards the limit. */
  taken: number;
  /** Pages in motion. */
  moving: number;
  /** Pages that wait. */
  waiting: number;
  /** Whether it has sitemaps to read, or URLs that rules hold back, for which it needs room. */
  wantsMore: boolean;
}

/** Room for what a sitemap or a released URL may bring. */
const MORE = 10;

/** The first grants: the limit in equal shares. */
export function firstGrants(limit: number, parts: number): Grant[] {
  return Array.from({ length: parts }, (_, i) => {
    const share = Math.floor(limit / parts) + (i < limit % parts ? 1 : 0);
    return { bound: share, target: share, number: 0 };
  });
}

/** Whether all pages of the limit are taken. */
export function isLimitReached(limit: number, uses: readonly Pick<GrantUse, "taken">[]): boolean {
  return uses.reduce((sum, { taken }) => sum + taken, 0) >= limit;
}

/**
 * The notes after this look at the parts: bounds follow what parts have applied, free pages go to parts that need them,
 * and where there are too few, parts give back half of what they do not use. Each part whose number is not that of its
 * note is to apply it.
 */
export function decideGrants(limit: number, notes: readonly Grant[], uses: readonly GrantUse[]): Grant[] {
  const all = notes.map((note, i) => {
    const use = uses[i];
    const isApplied = use !== undefined && use.number === note.number;
    return { use, isApplied, note: isApplied ? { ...note, bound: use.pageLimit, target: use.pageLimit } : { ...note } };
  });
  const settled = all.flatMap(({ note, use, isApplied }) => (isApplied && use !== undefined ? [{ note, use }] : []));
  const needs = settled.map(({ use }) => Math.max(0, demandOf(use) - use.pageLimit));
  let free = limit - all.reduce((sum, { note }) => sum + note.bound, 0);
  for (const [i, { note }] of settled.entries()) {
    const given = Math.min(needs[i] ?? 0, Math.max(0, free));
    if (given === 0) continue;
    free -= given;
    needs[i] = (needs[i] ?? 0) - given;
    const grown = note.bound + given;
    Object.assign(note, { bound: grown, target: grown, number: note.number + 1 });
  }
  // What parts need and have not got, and what they have beyond a limit that was lowered.
  let missing = needs.reduce((sum, need) => sum + need, 0) + Math.max(0, -free);
  for (const { note, use } of settled) {
    const isGrown = note.number !== use.number;
    const used = free < 0 ? use.taken + use.moving : demandOf(use);
    const spare = isGrown ? 0 : Math.max(0, use.pageLimit - used);
    const back = Math.min(missing, free < 0 ? spare : Math.ceil(spare / 2));
    if (back === 0) continue;
    missing -= back;
    Object.assign(note, { target: use.pageLimit - back, number: note.number + 1 });
  }
  return all.map(({ note }) => note);
}

/** The page limit with which the part could go on with all that it knows. */
function demandOf({ taken, moving, waiting, wantsMore }: GrantUse): number {
  return taken + moving + waiting + (wantsMore ? MORE : 0);
}
