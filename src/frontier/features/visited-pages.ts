import { ignoredElementsOf } from "../../crawl/watch/ignored-elements.ts";
import { ALL_SAID } from "../../fetch/request/page-request.ts";
import { TEMPLATE_SAMPLE } from "../lane/host-templates.ts";
import { validatorsFor } from "../lane/request-of-work.ts";
import { settleVisit } from "../visits/settle-visit.ts";
import { visitOf } from "../work.ts";
import type { Feature } from "./feature.ts";

/** The versions of a page that a watch visits again: a visit compares what the page says with what is stored. */
export const versions: Feature<"version" | "validators"> = {
  invocations(work) {
    if (work.kind === "sitemap" || visitOf(work) === null) return {};
    // One reads the stored version, and one looks twice. Few visits learn their host's template, so only one that came
    // back is sure of it.
    return { now: 2, toLearn: work.hint.failures > 0 ? TEMPLATE_SAMPLE : 0 };
  },
  wants({ row: { visit }, context }) {
    const { status, options } = context.crawl;
    const { watch, render } = options;
    const version = { ...ALL_SAID, ignoredElements: ignoredElementsOf(watch) };
    // What is new while the crawl is watching may be a wall.
    if (visit === null) return { version: status === "watching" ? version : null, validators: null };
    return {
      version,
      // The answer to a page that is drawn may stay the same while its scripts draw something else.
      validators: render === "never" ? validatorsFor(visit, context.crawl.options) : null,
    };
  },
  settle: settleVisit,
};
