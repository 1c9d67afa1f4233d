import { endlessGroups } from "./endless-groups/endless-pages.ts";
import { extractedValues } from "./extracted-values.ts";
import type { Feature } from "./feature.ts";
import { fields } from "./fields-by-rule.ts";
import { hook } from "./hooked-pages.ts";
import { cookies } from "./host-cookies.ts";
import { hostLimits } from "./host-limits/host-limits.ts";
import { languages } from "./languages.ts";
import { media } from "./media.ts";
import { ranking } from "./ranking.ts";
import { rendering } from "./rendering.ts";
import { samePages } from "./same-pages/skip-same-pages.ts";
import { savedPages } from "./saved-pages.ts";
import { serverMarkdown } from "./server-markdown.ts";
import { signedIn } from "./session/signed-in.ts";
import { soft404 } from "./soft-404/soft-404.ts";
import { topic } from "./topic/topic.ts";
import { modifiedSince } from "./unchanged-pages.ts";
import { versions } from "./visited-pages.ts";

/**
 * The features of a page, in the order in which their steps are taken. The first that decides about a URL has decided:
 * a host that has given all its pages is asked for nothing, not even to learn. A browser draws a page before its
 * Markdown is asked for, and a soft 404 is told from what came of that. The hook is asked about what all others leave.
 */
const LISTED = [
  cookies,
  signedIn,
  modifiedSince,
  savedPages,
  topic,
  hostLimits,
  samePages,
  endlessGroups,
  languages,
  fields,
  extractedValues,
  media,
  ranking,
  hook,
  rendering,
  serverMarkdown,
  soft404,
  versions,
] as const;

export const FEATURES: readonly Feature[] = LISTED;

/** The fields of a request that features set. */
export type Featured = (typeof LISTED)[number] extends infer F
  ? F extends Feature<infer Wanted>
    ? Wanted
    : never
  : never;
