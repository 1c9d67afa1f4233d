import { expect, test } from "vitest";
import { lastPartOf, wordsOf } from "../../../src/search/name-words.ts";

test.each<[text: string, words: string[]]>([
  ["Git - git-commit Documentation", ["git", "git", "commit", "documentation"]],
  ["git_commit(1)", ["git", "commit", "1"]],
  ["committing Commits committed commit", ["commit", "commit", "commit", "commit"]],
  ["merge merged merging merges", ["merg", "merg", "merg", "merg"]],
  ["copies copy", ["cop", "cop"]],
  ["2022 11 add", ["2022", "11", "ad"]],
  ["Über Größe", ["uber", "groß"]],
  ["用Python写", ["用", "python", "写"]],
  ["!?", []],
])("words of %s", (text, words) => expect(wordsOf(text)).toEqual(words));

test.each([
  ["https://a.test/docs/git-commit.html", "git-commit"],
  ["https://a.test/docs/git-commit/?q=1#x", "git-commit"],
  ["https://a.test/docs/std/struct.HashMap.html", "struct.HashMap"],
  ["https://a.test/docs/guide/index.html", "guide"],
  ["https://a.test/%C3%BCber%20uns.php", "über uns"],
  ["https://a.test/100%", "100%"],
  ["https://a.test/.html", ".html"],
  ["https://a.test/v1.2", "v1.2"],
  ["https://a.test/", ""],
  ["no URL", ""],
])("last part of %s", (url, part) => expect(lastPartOf(url)).toBe(part));
