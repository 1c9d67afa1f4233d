import { isDescribed } from "../../crawl/page/url-kind.ts";
import type { Work } from "../work.ts";
import type { Feature } from "./feature.ts";

/** Ranges of a media file; one with more is described by another batch, or as far as they come. */
const RANGES = 4;

/** The media that pages show, and media files, each of which is fetched by ranges. */
export const media: Feature<"media"> = {
  wants: ({ context }) => ({ media: context.crawl.options.media }),
  invocations: (work) => ({ now: isMediaFile(work) ? RANGES - 1 : 0 }),
};

/** Whether a file is described alone. Before this option, an asset may have had any level. */
export function isMediaFile({ kind, row, context }: Work): boolean {
  return kind === "page" && context.crawl.options.media && isDescribed(row);
}
