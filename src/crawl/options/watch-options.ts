import { choices, flag, integer, interval, lines, number } from "./option.ts";

/** A crawl that stays and visits its pages again. All of them are absent in a crawl that ends. */

const WEEK_S = 604_800;
const TEN_YEARS_S = 315_360_000;

/** What a page says beside its text. */
const TOLD_PARTS = ["links", "images", "data"] as const;

export const WATCH_OPTIONS = {
  "watch.everyS": interval("--every <interval>", 60, TEN_YEARS_S, WEEK_S, {
    label: "Visit each page every",
    unit: "s",
    required: true,
    flagNote: "or an interval for pages of a pattern, such as 1h:/prices/**; may be repeated",
    sentence: "Mean time between two visits of a page. It is the budget of the watch.",
  }),
  "watch.everyFor": lines(null, {
    label: "Other intervals",
    otherwise: "",
    example: "1h:/prices/**",
    sentence:
      "Other intervals for some pages: an interval, a colon and a glob, such as `1h:/prices/**`. The first that matches counts.",
  }),
  "watch.fixed": flag("--fixed", false, {
    label: "Visit all pages alike",
    sentence: "Visit all pages alike, whatever their rates of change.",
  }),
  "watch.only": lines("--watch-selector <css>", {
    label: "Watched elements",
    otherwise: "",
    example: "#price",
    sentence:
      "CSS selectors of the elements that count for changes; all others do not. A page that has none of them counts as a whole.",
  }),
  "watch.ignore.selectors": lines("--ignore-selector <css>", {
    label: "Ignored elements",
    example: ".sidebar",
    sentence: "CSS selectors of elements that do not count: names, classes, ids, attributes.",
  }),
  "watch.ignore.patterns": lines("--ignore-text <pattern>", {
    label: "Ignored text",
    example: "Posted * ago",
    sentence: "Text that does not count, as it is written. `*` stands for any run of characters within a line.",
  }),
  "watch.ignore.urls": lines("--ignore-url <glob>", {
    label: "Ignored pages",
    example: "/news/**",
    sentence: "Globs. A page whose URL matches one never counts as changed.",
  }),
  "watch.ignore.leastShare": number("--least-share <share>", 0, 1, 0, {
    label: "Least changed share (0 to 1)",
    sentence: "A content that changed by less than this share does not count as changed.",
  }),
  "watch.tell": choices("--tell <list>", TOLD_PARTS, [], 0, {
    label: "Also tell of other",
    flagNote: "separated by commas, or none",
    sentence:
      "Tell a page whose text is the same as changed where its links, its images or the data in its attributes are other.",
    see: "watch.md",
  }),
  "watch.keepDays": integer("--keep <time>", 1, 3_650, 3_650, {
    label: "Keep old versions",
    unit: "days",
    flagNote: 'a time such as 90d, or "all"',
    sentence:
      "Versions of a page are removed this long after they were replaced, and changes this long after they were noticed. The newest version of a page stays.",
    otherwise: "to keep all",
  }),
};
