/** Which private hosts an installation may ask, by the setting ALLOW_PRIVATE. */

/** `seeds`: for each crawl the hosts of its seeds, and no others. */
export type PrivateAccess = "all" | "seeds" | "none";

/** A setting that is misspelt allows nothing. */
export function readPrivateAccess(setting = ""): PrivateAccess {
  if (setting === "true") return "all";
  return setting === "seeds" ? "seeds" : "none";
}

/** The hosts that a crawl with these seeds' hosts may ask though they are private; all are `URL.host` values. */
export function privateHostsOf(access: PrivateAccess, seedHosts: ReadonlySet<string>): "any" | ReadonlySet<string> {
  if (access === "all") return "any";
  return access === "seeds" ? seedHosts : new Set();
}
