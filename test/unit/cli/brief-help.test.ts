import { Command } from "commander";
import { expect, test } from "vitest";
import { addCrawlCommand } from "../../../src/cli/control/crawl-command.ts";
import { addWatchCommands } from "../../../src/cli/control/watch-command.ts";
import { BRIEF_CRAWL, BRIEF_WATCH } from "../../../src/cli/flags/brief-help.ts";

const CASES = [
  ["crawl", addCrawlCommand, BRIEF_CRAWL],
  ["watch", addWatchCommands, BRIEF_WATCH],
] as const;
/** Rows of a small terminal, beside those of the examples. */
const SCREEN = 28;

test.each(CASES)("the help of %s fits a screen, and names flags that it has", (name, add, { examples, flags }) => {
  const program = new Command();
  add(program);
  const command = program.commands.find((each) => each.name() === name);
  const named = Object.values(flags).flatMap((group) => Object.keys(group));
  expect(command?.options.map(({ long }) => long)).toEqual(expect.arrayContaining(named));
  const lines = shownBy((screen) => command?.configureOutput({ writeOut: screen }).outputHelp());
  expect(lines.length - examples.length).toBeLessThanOrEqual(SCREEN);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.at(-1)).toContain(`orbweaver ${name} --help all`);
});

/** What a command prints, with the texts after its help. */
function shownBy(print: (screen: (text: string) => void) => void): string[] {
  let shown = "";
  print((text) => {
    shown += text;
  });
  return shown.trimEnd().split("\n");
}
