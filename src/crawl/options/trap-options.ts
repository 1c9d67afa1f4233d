import { MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { flag, integer } from "./option.ts";

/** Limits that end traps: docs/politeness.md. */
export const TRAP_OPTIONS = {
  "traps.maxUrlLength": integer("--max-url-length <n>", 1, MAX_URL_LENGTH, MAX_URL_LENGTH, {
    label: "Max URL length",
    unit: "characters",
    sentence: "Maximum length of a URL.",
  }),
  "traps.maxPathDepth": integer("--max-path-depth <n>", 1, 1_000, 20, {
    label: "Max path segments",
    sentence: "Maximum number of path segments in a URL.",
  }),
  "traps.maxRepeatedSegments": integer("--max-repeated-segments <n>", 1, 1_000, 2, {
    label: "Max repeated segments",
    sentence:
      "Maximum number of times that a path segment may occur in a URL, or that a run of segments may repeat in a row.",
  }),
  "traps.maxVariants": integer("--max-variants <n>", 1, 10_000_000, 10_000, {
    label: "Max URL variants",
    sentence: "Maximum number of URLs that differ only in numbers, ids and query values.",
  }),
  "traps.maxChain": integer("--max-chain <n>", 1, 10_000_000, 100, {
    label: "Max variant chain",
    sentence: "Maximum number of steps in a row from one such variant to the next, as in an endless calendar.",
  }),
  "traps.maxDuplicates": integer("--max-duplicates <n>", 1, 10_000_000, 2, {
    label: "Max duplicate pages",
    sentence: "Maximum number of pages with the same content, one leading to the next, whose links are followed.",
  }),
  keepDuplicates: flag("--keep-duplicates", false, {
    label: "Keep duplicate URLs",
    sentence:
      "Crawl URLs too that differ from another one only in parameters and path parts that never change the page on their host. Otherwise the crawl learns these parts, and refuses such URLs as `same-page`.",
    elsewhere: { firecrawl: "deduplicateSimilarURLs" },
  }),
  keepEndless: flag("--keep-endless", false, {
    label: "Keep endless patterns",
    sentence:
      "Fetch all pages of patterns that say nothing new any more. Otherwise the crawl fetches one in 50 URLs of a pattern after 200 such pages in a row, until one of them is new, and lists the others as `nothing-new`.",
  }),
};
