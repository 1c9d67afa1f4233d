import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

/** Numbers in documents are those of the code, or name the day on which they were measured. */

const ROOT = join(import.meta.dirname, "..", "..", "..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
/** A document as one line, because a sentence may be wrapped anywhere. */
const textOf = (file: string) => read(file).replace(/\s+/g, " ");

/** A sentence of a document with `#` for the number, and the constant that it names. */
const CASES: readonly (readonly [document: string, sentence: string, source: string, constant: string])[] = [
  ["README.md", "up to # pages are fetched again", "src/crawl/bounds/batch-size.ts", "MAX_BATCH_URLS"],
  ["README.md", "orbweaver-#.tgz crawl", "src/core/version.ts", "VERSION"],
  ["docs/reliability.md", "up to # pages of a", "src/crawl/bounds/batch-size.ts", "MAX_BATCH_URLS"],
  ["docs/architecture.md", "up to # pages", "src/crawl/bounds/batch-size.ts", "MAX_BATCH_URLS"],
  ["docs/hook.md", "at most # characters", "src/crawl/subject/hook.ts", "MAX_HOOK_TEXT"],
  ["docs/hook.md", "at most # fields and", "src/crawl/subject/hook-answers.ts", "MAX_FIELDS"],
  ["docs/hook.md", "fields and # links for a page", "src/crawl/subject/hook-answers.ts", "MAX_LINKS"],
  ["docs/fields.md", "more than # characters as", "src/crawl/page/row-fields.ts", "MAX_IN_ROW"],
  ["docs/politeness.md", "up to # cookies", "src/fetch/request/cookie-jar.ts", "MAX_COOKIES_PER_HOST"],
  ["docs/politeness.md", "up to # cookies of all", "src/fetch/request/cookie-jar.ts", "MAX_COOKIES_PER_JAR"],
  ["docs/politeness.md", "at most # requests and", "src/fetch/browser/resources.ts", "MAX_LOOK_REQUESTS"],
  ["docs/mcp.md", "at most # characters", "src/api/mcp/page-tools.ts", "PART"],
  ["docs/changes.md", "at most # blocks and", "src/changes/page-version.ts", "MAX_BLOCKS"],
  ["docs/firecrawl.md", "the first # hits", "src/api/firecrawl/search-pages.ts", "MOST_WITH_PAGE"],
  ["docs/reading.md", "at most # versions", "src/api/replay/replay-routes.ts", "MAX_IN_TIME_MAP"],
  ["docs/webhooks.md", "up to # in a message", "src/crawl/watch/notice.ts", "MAX_CHANGES"],
  ["docs/watch.md", "up to # in a message", "src/crawl/watch/notice.ts", "MAX_CHANGES"],
  ["docs/search.md", "at most # words together", "src/api/analysis/search-routes.ts", "MAX_PHRASE_WORDS"],
  ["docs/analysis.md", "at most # readings of the", "src/crawl/watch/signal.ts", "FREE_READINGS"],
  ["docs/import.md", "# of them at a time", "src/api/imports/import-schemas.ts", "MAX_ANSWERS"],
  ["docs/commands.md", "up to # pixels high", "src/fetch/browser/take-picture.ts", "MAX_HEIGHT"],
  ["docs/firecrawl.md", "up to # pixels high", "src/fetch/browser/take-picture.ts", "MAX_HEIGHT"],
  ["docs/reading.md", "up to # pixels", "src/fetch/browser/take-picture.ts", "MAX_HEIGHT"],
  ["docs/topics.md", "at most # marks", "src/api/analysis/classification-schemas.ts", "MAX_GIVEN"],
  ["docs/extract.md", "A schema has at most # characters", "src/extract/value-schema.ts", "MAX_LENGTH"],
  ["docs/extract.md", "characters and # levels", "src/extract/value-schema.ts", "MAX_DEPTH"],
  ["docs/fields.md", "cut after # characters", "src/crawl/page/page-fields.ts", "MAX_TOLD"],
  ["docs/hook.md", "a list after # texts", "src/crawl/subject/hook-answers.ts", "MAX_LIST"],
  ["docs/firecrawl.md", "each, of at most # characters", "src/scope/url-pattern.ts", "MAX_LENGTH"],
  ["docs/firecrawl.md", "and # documents with screenshots", "src/api/firecrawl/job-status.ts", "MAX_PICTURES"],
  ["docs/firecrawl.md", "for the first # pages of an", "src/api/firecrawl/monitor-pages.ts", "MAX_DIFFS"],
  ["docs/topics.md", "There are at most # pages", "src/passes/text/gather-terms.ts", "MAX_TERM_PAGES"],
  ["docs/topics.md", "pages, # examples and", "src/passes/text/start-text-pass.ts", "MAX_LABELLED"],
  ["docs/topics.md", "examples and # labels", "src/passes/text/start-text-pass.ts", "MAX_LABELS"],
  ["docs/topics.md", "The first # characters are read", "src/topic/terms.ts", "MAX_SUBJECT_TEXT"],
  ["docs/topics.md", "the terms of at most # pages", "src/passes/text/gather-terms.ts", "MAX_KEPT_READ"],
  ["docs/webhooks.md", "a text of at most # characters", "src/notices/fill-template.ts", "MAX_TEMPLATE"],
  ["docs/webhooks.md", "up to # characters a page", "src/notices/read-words.ts", "MAX_CHARACTERS"],
  ["docs/search.md", "gives at most # hits", "src/store/records/search-sql.ts", "MAX_RANKED"],
  ["docs/recipes.md", "the same files, up to # URLs", "src/console/new-crawl/start-list.ts", "MAX_LIST_URLS"],
  ["docs/analysis.md", "The first # characters are compared", "src/fetch/reading/read-page.ts", "MAX_PRINTED"],
  ["docs/reliability.md", "is read at # rows a minute", "src/store/ledger/row-windows.ts", "MOST_WINDOW_ROWS"],
  ["docs/cloudflare.md", "has at most # records and", "src/reading/records/read-row.ts", "MAX_READ"],
  [
    "docs/politeness.md",
    "cookies, with # characters of names",
    "src/fetch/request/cookie-jar.ts",
    "MAX_JAR_CHARACTERS",
  ],
  ["CONTRIBUTING.md", "after a change of the pipeline: # sites", "package.json", "CHAOS_RUNS"],
  ["README.md", "was tested against: # generated sites", "package.json", "CHAOS_RUNS"],
  ["CONTRIBUTING.md", "watched worlds; # SIGKILLs", "package.json", "KILLS"],
  ["README.md", "binding failing, # SIGKILLs", "package.json", "KILLS"],
];

describe("a number of the documents is that of the code", () => {
  test.each(CASES)("%s: %s (%s, %s)", (document, sentence, source, constant) => {
    const [before = "", after = ""] = sentence.split("#");
    const found = [
      ...textOf(document).matchAll(new RegExp(`${escapeRegExp(before)}([\\d.,]*\\d)${escapeRegExp(after)}`, "g")),
    ];
    expect(found.map(([, number]) => number)).toContain(numberOf(source, constant));
  });
});

/** As documents write it: with commas between thousands. */
function numberOf(source: string, constant: string): string {
  const value = new RegExp(`\\b${constant}(?: = "?|:-)([\\d_.]+)`).exec(read(source))?.[1] ?? "";
  return value.includes(".") ? value : Number(value.replaceAll("_", "")).toLocaleString("en");
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

test("what was measured names its day", () => {
  for (const document of globSync("docs/{measurements,reading,cost,freshness,changes,search,topics,scale}.md", {
    cwd: ROOT,
  })) {
    const text = read(document);
    // A table of decimals is a measurement.
    if ((text.match(/^\|.*\d\.\d.*\|$/gm)?.length ?? 0) > 2) expect(text, document).toMatch(/\b20\d\d-\d\d(-\d\d)?\b/);
  }
});
