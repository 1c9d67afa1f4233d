import { describe, expect, it } from "vitest";
import { FIRST_RUN, LATER_RUN } from "./deploy-commands.ts";
import { FakeAccount } from "./fake-account.ts";

describe("a first run", () => {
  it("does the same with wrangler as a program", async () => {
    const account = new FakeAccount();
    const { commands, calls } = await account.deployByProgram();
    expect(commands).toEqual(FIRST_RUN);
    expect(calls.at(-1)?.input).toBe(account.state.secrets.API_TOKEN);
    expect((await account.deployByProgram()).commands).toEqual(LATER_RUN);
  });
});
