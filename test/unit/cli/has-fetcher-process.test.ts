import { expect, test } from "vitest";
import { hasFetcherProcess } from "../../../src/cli/machine/fetcher-process.ts";

const LONG = `/tmp/${"folder/".repeat(10)}`;

test.each<[what: string, cores: number, wish: string | undefined, temporary: string, has: boolean]>([
  ["one core", 1, undefined, "/tmp", false],
  ["two cores", 2, undefined, "/tmp", true],
  ["two cores, but not wanted", 2, "off", "/tmp", false],
  ["one core, but wanted always", 1, "always", "/tmp", true],
  ["the folder of a user of macOS", 2, undefined, "/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T", true],
  ["a folder too long for a socket", 8, "always", LONG, false],
])("a machine with %s", (_, cores, wish, temporary, has) => {
  expect(hasFetcherProcess(cores, wish, temporary)).toBe(has && process.platform !== "win32");
});
