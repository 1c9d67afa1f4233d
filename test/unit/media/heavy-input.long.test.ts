import { expect, test } from "vitest";
import { readInIsolate } from "../../documents/read-in-isolate.ts";

/** Files of 9 MB made to cost memory, and honest ones, read with all formats in an isolate of 128 MB. */

const fill = (unit: string) => unit.repeat(Math.floor(9_000_000 / unit.length));
const jsonFeed = (unit: string) =>
  `{"version":"https://jsonfeed.org/version/1.1","title":"x","items":[${fill(unit)}{}]}`;

test.each<[Parameters<typeof readInIsolate>[0], string, () => string]>([
  ["json", "arrays", () => fill("[")],
  ["json", "escaped quotes", () => fill('\\"')],
  ["json", "line ends", () => fill("\n")],
  ["json", "honest", () => `[${fill('{"name":"a loom","price":3.5,"url":"https://example.com/p"},\n')}{}]`],
  ["xml", "elements", () => fill("<a>")],
  ["xml", "references", () => fill("&amp;")],
  ["xml", "honest", () => `<r>${fill("<item><name>a loom</name></item>\n")}</r>`],
  ["text", "signs", () => fill("<")],
  ["text", "line ends", () => fill("\n")],
  ["text", "ampersands", () => fill("&")],
  ["csv", "cells", () => fill("a,b,c\n")],
  ["csv", "separators", () => fill(",")],
  ["csv", "honest", () => `name,price\n${fill("a loom of the old mill,3.5\n")}`],
  ["feed", "arrays", () => jsonFeed("[],")],
  ["feed", "entries", () => jsonFeed("{},")],
])("%s: %s", { timeout: 120_000 }, async (reader, _, write) => {
  const read = await readInIsolate(reader, new TextEncoder().encode(write()));
  expect(read.cpuMs).toBeLessThan(20_000);
});
