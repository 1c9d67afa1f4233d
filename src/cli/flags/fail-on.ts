import { Option } from "commander";
import type { CrawlDetail, FindingsView } from "../../api/views.ts";
import { count } from "../../core/shown-values.ts";
import { UserError } from "../errors.ts";

/** `--fail-on`: for what a command exits with 1. Its words are the same wherever it stands. */

const BROKEN = ["broken-link", "broken-external-link"];
/** The kinds of findings of a report that each word counts. `errors` and `incomplete` need none. */
const FAILURES = {
  errors: [],
  broken: BROKEN,
  "new-broken": BROKEN,
  "broken-internal": ["broken-link"],
  orphans: ["orphan-page"],
  incomplete: [],
} satisfies Record<string, string[]>;
export type Failure = keyof typeof FAILURES;

export const FAIL_ON_HELP =
  "--fail-on takes these words, with commas between them: errors (URLs could not be fetched), broken (links that lead " +
  "nowhere), broken-internal (those to the site itself), new-broken (those that the analysis before did not find, of " +
  "this crawl or of the newest one with the same seeds; in a first report, none is new), orphans (pages to which no link leads) and incomplete (URLs that were not judged, such as " +
  "those beyond the limit; what robots.txt forbids does not count). broken and new-broken count links to other " +
  "sites too, where --check-external asked for them.";

export function failOnOption(): Option {
  return new Option(
    "--fail-on <list>",
    `exit with 1 if there are any of these: ${Object.keys(FAILURES).join(", ")}`,
  ).argParser(failures);
}

function failures(value: string): Failure[] {
  return value.split(",").map((name) => {
    const trimmed = name.trim();
    if (!Object.hasOwn(FAILURES, trimmed))
      throw new UserError(`--fail-on takes ${Object.keys(FAILURES).join(", ")}; not ${trimmed}.`, 2);
    return trimmed as Failure;
  });
}

/** Whether some of these are found by a report alone. */
export function needsReport(failOn: readonly Failure[] = []): boolean {
  return failOn.some((failure) => failure !== "errors");
}

/** Sets the exit code and says what was found. `findings`: of a report; null without one. */
export function failOn(
  wanted: readonly Failure[] = [],
  { counts }: Pick<CrawlDetail, "counts">,
  findings: Pick<FindingsView, "counts" | "unjudged"> | null,
): void {
  for (const failure of wanted) {
    const found = failure === "errors" ? counts.errored : countFindings(failure, findings ?? NOTHING);
    if (found === 0) continue;
    process.exitCode = 1;
    console.error(`Found: ${failure} (${count(found)}).`);
  }
}

const NOTHING = { counts: [], unjudged: {} };
/** Somebody has decided that these are not fetched. */
const DECIDED = ["robots", "content-signal", "country"];

function countFindings(failure: Failure, { counts, unjudged }: Pick<FindingsView, "counts" | "unjudged">): number {
  if (failure === "incomplete") {
    const open = Object.entries(unjudged).filter(([reason]) => !DECIDED.includes(reason));
    return open.reduce((sum, [, urls]) => sum + urls, 0);
  }
  const kinds: readonly string[] = FAILURES[failure];
  const found = counts.filter(({ kind }) => kinds.includes(kind));
  return found.reduce((sum, each) => sum + (failure === "new-broken" ? each.new : each.found), 0);
}
