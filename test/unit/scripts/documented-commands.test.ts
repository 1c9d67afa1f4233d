import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { makeProgram } from "../../../src/cli/make-program.ts";

/** The documents name commands and flags that there are, and docs/commands.md names all commands. */

const ROOT = join(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const GUIDES = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
const program = await makeProgram();
const named = (command: Command, name = "") => command.commands.find((each) => each.name() === name);

/** What is wrong with the words of a command line. */
function problemsOf(line: string): string[] {
  const [name = "", ...words] = line.split(/\s+/);
  const command = named(program, name);
  if (command === undefined) return [`there is no command ${name}`];
  const under = command.commands.length === 0 ? command : named(command, words[0]);
  if (under === undefined) return [`${name} has no command ${words[0]}`];
  const flags = new Set(["--help", ...under.options.map(({ long }) => long)]);
  return line.match(/(?<=\s)--[a-z][a-z-]*/g)?.flatMap((flag) => (flags.has(flag) ? [] : [`no ${flag}`])) ?? [];
}

/** The command lines in blocks and code spans, without comments and what they are piped to. */
function commandsIn(text: string): string[] {
  const lines = text.match(/(?:^ *|\$ |`|-- )orbweaver [a-z][^`\n]*/gm) ?? [];
  const whole = lines.map((line) => line.replace(/^.*?orbweaver /, ""));
  // A sentence names a command with flags without the program: `watch ID --every 1d`.
  const spans = [...text.matchAll(/`([a-z]+ [^`\n]*?--[a-z][^`\n]*)`/g)].map(([, span = ""]) => span);
  const short = spans.filter((span) => named(program, span.split(" ")[0]) !== undefined);
  return [...whole, ...short].map((line) => line.replace(/ (?:[|#>].*| {2}.*)$/, ""));
}

test("the documents have many commands", () => {
  const count = (file: string) => commandsIn(read(file)).length;
  expect([count("README.md"), count("docs/watch.md"), count("docs/webhooks.md")].every((each) => each > 7)).toBe(true);
});

test.each(["README.md", ...GUIDES.map((name) => `docs/${name}`)])("%s", (file) => {
  const wrong = commandsIn(read(file)).flatMap((line) => problemsOf(line).map((problem) => `${line}: ${problem}`));
  expect(wrong).toEqual([]);
});

test("the table of docs/commands.md has each command, and no other", () => {
  const table = read("docs/commands.md").split("## Options of")[0] ?? "";
  const cells = table.split("\n").flatMap((row) => /^\| (`.*?`) \| /.exec(row)?.[1] ?? []);
  const lines = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, line = ""]) => line));
  expect(lines.flatMap((line) => problemsOf(line).map((problem) => `${line}: ${problem}`))).toEqual([]);
  const names = new Set(lines.map((line) => line.split(" ")[0]));
  expect([...names].sort()).toEqual(
    program.commands
      .map((command) => command.name())
      .filter((name) => name !== "help")
      .sort(),
  );
});
