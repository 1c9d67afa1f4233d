import { Command } from "commander";
import { expect, test } from "vitest";
import { addRecordsCommand } from "../../../src/cli/queries/records-command.ts";

async function refusal(...args: string[]): Promise<string> {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  addRecordsCommand(program);
  const error = await program.parseAsync(["records", "1234", ...args], { from: "user" }).catch((each: unknown) => each);
  return error instanceof Error ? error.message : "";
}

test.each([
  [["--fields", "f.json", "--extract", "e.json"], "--fields reads completed pages", "--extract"],
  [
    ["--fields", "f.json", "--label", "news", "--language", "de"],
    "--fields reads completed pages",
    "--language, --label",
  ],
  [["--fields", "f.json", "--model-calls", "3"], "--fields reads completed pages", "--model-calls"],
  [["--extract", "e.json", "--document", "pdf"], "--extract reads completed pages", "--document"],
  [["--extract", "e.json", "--min-relevance", "0.5", "--with", "text"], "--extract reads", "--min-relevance, --with"],
  [["--extract", "e.json", "--chunk-tokens", "100"], "--extract reads completed pages", "--chunk-tokens"],
])("%j is refused: what has no effect is named", async (args, why, named) => {
  const message = await refusal(...args);
  expect(message).toContain(why);
  for (const flag of named.split(", ")) expect(message).toContain(flag);
});

test.each([
  [["--evidence", "strict"], "--evidence is for --extract."],
  [["--model-calls", "3", "--model-prices", "1,2"], "--model-calls, --model-prices is for --extract."],
  [["--extract", "e.json", "--model-cost", "much"], "It must be a number"],
  [["--raw-text"], "--raw-text is for pages."],
])("%j is refused", async (args, why) => {
  expect(await refusal(...args)).toContain(why);
});
