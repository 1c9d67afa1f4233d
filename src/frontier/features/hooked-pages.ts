import type { Feature } from "./feature.ts";

/** Calls of the hook at the end of a batch: one for its pages, and some for what they found. */
export const HOOK_CALLS = 3;
/** Calls about the URLs of one sitemap. */
const SITEMAP_CALLS = 20;

/** The pages about which the installation's hook is asked (ask-hook.ts). */
export const hook: Feature<"hook"> = {
  invocations: ({ hint, kind }) =>
    hint.askAlone === true ? { atEnd: kind === "page" ? HOOK_CALLS : SITEMAP_CALLS } : {},
  fresh: async (fresh, { hook, attempts, gathering }) => hook?.askFound(fresh, attempts, gathering) ?? fresh,
  open: async ({ deps }) => ({ wants: () => ({ hook: deps.hook !== null }) }),
};
