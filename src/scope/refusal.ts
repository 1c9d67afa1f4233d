/** Why a link was refused when it was found. A closed list: the ledger counts by it and `explain` answers with it. */
export const REFUSALS = {
  "invalid-url": "cannot be parsed as a URL",
  "private-address": "leads to a private address, which this installation does not allow",
  "too-long": "is longer than 2,048 characters",
  "off-host": "is on a host outside the scope",
  excluded: "matches an exclude pattern",
  "not-included": "matches no include pattern",
  depth: "is deeper than the crawl goes",
  extension: "names a file type that is not a page",
} as const;

export type Refusal = keyof typeof REFUSALS;
