import type { PageVersion } from "../../changes/page-version.ts";

/**
 * Looks at a page a second time, moments after its visit. `later`: the lane is over, so another visit must look. Null:
 * this page cannot be looked at so.
 */
export type SecondLook = () => Promise<PageVersion | "later" | null>;
