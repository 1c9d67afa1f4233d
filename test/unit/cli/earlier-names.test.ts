import { expect, test } from "vitest";
import { makeProgram } from "../../../src/cli/make-program.ts";

test.each([
  ["topic", "focus"],
  ["topics", "clusters"],
  ["marks", "marked"],
])("the command %s of earlier versions is %s", async (earlier, name) => {
  const program = await makeProgram();
  expect(program.commands.find((command) => command.aliases().includes(earlier))?.name()).toBe(name);
  expect(program.helpInformation()).not.toMatch(new RegExp(`^ +${earlier}\\b|\\|${earlier}\\b`, "m"));
});

test("the help of the program has the arguments of each command whole", async () => {
  const program = await makeProgram();
  const help = program.helpInformation();
  for (const { name, args } of program.commands.map((command) => ({
    name: command.name(),
    args: command.registeredArguments,
  })))
    for (const arg of args)
      expect(help).toMatch(new RegExp(`^ +${name} .*[<[]${arg.name().replace("|", "\\|")}(?:\\.\\.\\.)?[>\\]]`, "m"));
});

test.each(["records", "export"])("%s --formats of earlier versions is --with", async (name) => {
  const formatsOf = async (flag: string) => {
    const command = (await makeProgram()).commands.find((each) => each.name() === name);
    command?.parseOptions([flag, "markdown, links"]);
    return command?.opts().formats;
  };
  expect([await formatsOf("--formats"), await formatsOf("--with")]).toEqual([
    ["markdown", "links"],
    ["markdown", "links"],
  ]);
});
