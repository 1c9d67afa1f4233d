/** Which private hosts an installation may ask, by the setting ALLOW_PRIVATE. */

/** `seeds`: for each crawl the hosts of its seeds and those that it names as one's own, and no others. */
export type PrivateAccess = "all" | "seeds" | "none";

/** A setting that is misspelt allows nothing. */
export function readPrivateAccess(setting = ""): PrivateAccess {
  if (setting === "true") return "all";
  return setting === "seeds" ? "seeds" : "none";
}

/** `URL.host` values. */
export type HostSet = Pick<ReadonlySet<string>, "has">;

/** The hosts that a crawl may ask though they are private. `named`: those of its seeds, and its own. */
export function privateHostsOf(access: PrivateAccess, named: HostSet): "any" | HostSet {
  if (access === "all") return "any";
  return access === "seeds" ? named : new Set();
}
