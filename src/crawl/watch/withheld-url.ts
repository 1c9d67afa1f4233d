import type { WithheldLink } from "../../scope/choose-withheld.ts";
import type { Discovery } from "../crawl.ts";

/** A page that a learned rule holds back until the end of the crawl. */
export interface WithheldUrl extends WithheldLink {
  /** How it was found; null if it has a row, which a lane has skipped. */
  readonly found: Omit<Discovery, "url" | "kind"> | null;
}

/** What one commit holds back by one rule. */
export interface Withheld {
  /** `URL.host`. */
  host: string;
  /** `samePageKey` of the rule. */
  rule: string;
  urls: WithheldUrl[];
}
