import { Command } from "commander";
import { expect, test } from "vitest";
import { addCrawlCommand } from "../../../src/cli/control/crawl-command.ts";
import { addWatchCommands } from "../../../src/cli/control/watch-command.ts";
import { BRIEF_CRAWL, BRIEF_WATCH } from "../../../src/cli/flags/brief-help.ts";

const CASES = [
  ["crawl", addCrawlCommand, BRIEF_CRAWL],
  ["watch", addWatchCommands, BRIEF_WATCH],
] as const;

test.each(CASES)("the help of %s fits a screen, and names flags that it has", (name, add, { flags }) => {
  const program = new Command();
  add(program);
  const command = program.commands.find((each) => each.name() === name);
  const named = Object.values(flags).flatMap((group) => Object.keys(group));
  expect(command?.options.map(({ long }) => long)).toEqual(expect.arrayContaining(named));
  const lines = command?.helpInformation().split("\n") ?? [];
  expect(lines.length).toBeLessThanOrEqual(48);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.at(-2)).toContain(`orbweaver ${name} --help all`);
});
