import { expect, test } from "vitest";
import { nameFlags } from "../../../src/cli/flags/name-flags.ts";

const CASES: [problems: string, said: string][] = [
  ["depth: it is too large", "--depth: it is too large"],
  ['options.includePatterns.0: "(" is no glob', '--include: "(" is no glob'],
  ["crawl.languages.2: it is no language tag", "--language: it is no language tag"],
  ["politeness.minDelayMs: no; depth: no; watch.everyS: no", "--delay: no; --depth: no; --every: no"],
  ["fields.0.fields.price: no selector", "fields.0.fields.price: no selector"],
  ["formats: no such format", "formats: no such format"],
  ["There is no crawl 1: see list", "There is no crawl 1: see list"],
];

test.each(CASES)("%s", (problems, said) => {
  expect(nameFlags(problems)).toBe(said);
});
