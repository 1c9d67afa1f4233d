/** Which private hosts an installation may ask, by the setting ALLOW_PRIVATE. */

/** `seeds`: for each crawl the hosts of its seeds, and no others. */
export type PrivateAccess = "all" | "seeds" | "none";

/** A setting that is misspelt allows nothing. */
export function readPrivateAccess(setting = ""): PrivateAccess {
  if (setting === "true") return "all";
  return setting === "seeds" ? "seeds" : "none";
}
