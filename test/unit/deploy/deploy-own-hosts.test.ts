import { expect, test } from "vitest";
import { FakeAccount, installation } from "./fake-account.ts";

/** What a deploy says of the variable OWN_HOSTS. */

const shown = async (ownHosts: string | undefined, dryRun = false) =>
  (await new FakeAccount().deploy({ dryRun }, { names: { ...installation, ownHosts } })).shown;

test.each([
  ["a deploy", false],
  ["a dry run", true],
])("%s warns about each word that the Worker cannot read, and goes on", async (_, dryRun) => {
  const words = await shown("www.example.com, *.com https://a.example  *.docs.example.com:81", dryRun);
  for (const word of ["*.com", "https://a.example"])
    expect(words).toContain(`OWN_HOSTS in wrangler.toml has "${word}", which is no host`);
  expect(words).toContain("Own hosts   www.example.com, *.docs.example.com:81\n");
  expect(words).toContain(dryRun ? "A deploy would run" : "is deployed");
});

test.each([undefined, "", "www.example.com"])("%j is no reason to warn", async (ownHosts) => {
  const words = await shown(ownHosts);
  expect(words).not.toContain("Warning");
  expect(words.includes("Own hosts")).toBe(ownHosts === "www.example.com");
});
