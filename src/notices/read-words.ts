import { UnreadableRecord } from "../archive/read-warc-record.ts";
import type { DiffLine, PageDiff } from "../changes/compare/diff-versions.ts";
import type { Crawl } from "../crawl/crawl.ts";
import { BRINGS_ALL, TAKES_ALL, type WordEdit } from "../crawl/watch/telling.ts";
import type { Change } from "../crawl/watch/watch.ts";
import { type DiffDeps, diffPage, readVersionAt } from "../frontier/visits/diff-page.ts";

/** The words of a page that changed, from its stored versions. */

export type WordDeps = DiffDeps;

export interface Words {
  /** Null if a version is stored no longer, or has no content. */
  words: readonly WordEdit[] | null;
  wordsLeftOut: number;
}

/** Characters of one page. */
const MAX_CHARACTERS = 20_000;

/**
 * `first` and `last`: changes of one page; the words are those between the versions before `first` and after `last`.
 */
export async function readWords(crawl: Crawl, first: Change, last: Change, deps: WordDeps): Promise<Words> {
  try {
    return bounded(await readEdits(crawl, first, last, deps));
  } catch (error) {
    // What is damaged stays so: the change is told without words. Anything else is tried again.
    if (error instanceof UnreadableRecord) return { words: null, wordsLeftOut: 0 };
    throw error;
  }
}

async function readEdits(crawl: Crawl, first: Change, last: Change, deps: WordDeps): Promise<WordEdit[] | null> {
  const { url } = last;
  if (BRINGS_ALL.includes(last.kind)) {
    const blocks = await readVersionAt(crawl, url, last.at, deps);
    return blocks?.map((after) => ({ before: null, after })) ?? null;
  }
  if (TAKES_ALL.includes(last.kind)) {
    const blocks = await readVersionAt(crawl, url, last.at - 1, deps);
    return blocks?.map((before) => ({ before, after: null })) ?? null;
  }
  const before = first.seq === last.seq ? null : await deps.mementos.versionInForce(crawl.id, url, first.at);
  const from = before === null ? null : before.fetchedAt - 1;
  const result = await diffPage(crawl, url, { from, to: last.at, isFull: false }, deps);
  return result.kind === "diff" ? editsOf(result.diff) : null;
}

/** Each block that is other, in the order of the page, after the title. */
export function editsOf({ title, hunks }: Pick<PageDiff, "title" | "hunks">): WordEdit[] {
  const ofTitle = title === null ? [] : [{ before: title.before, after: title.after }];
  return [...ofTitle, ...hunks.flatMap(({ lines }) => lines.flatMap(editOf))];
}

function editOf(line: DiffLine): WordEdit[] {
  if (line.kind === "modified") {
    const side = (left: "added" | "removed") =>
      line.parts.flatMap(({ kind, text }) => (kind === left ? [] : [text])).join("");
    return [{ before: side("added"), after: side("removed") }];
  }
  if (line.kind === "same") return [];
  return [line.kind === "added" ? { before: null, after: line.text } : { before: line.text, after: null }];
}

function bounded(edits: WordEdit[] | null): Words {
  if (edits === null) return { words: null, wordsLeftOut: 0 };
  let characters = 0;
  const end = edits.findIndex(({ before, after }, i) => {
    characters += (before?.length ?? 0) + (after?.length ?? 0);
    return i > 0 && characters > MAX_CHARACTERS;
  });
  const kept = (end === -1 ? edits : edits.slice(0, end)).map(({ before, after }) => ({
    before: before?.slice(0, MAX_CHARACTERS) ?? null,
    after: after?.slice(0, MAX_CHARACTERS) ?? null,
  }));
  return { words: kept, wordsLeftOut: edits.length - kept.length };
}
