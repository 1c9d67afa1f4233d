import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Request } from "miniflare";
import { afterAll, expect, test } from "vitest";
import { ReaderProcess } from "../../../src/cli/reader-process.ts";

/** The reader's own process, with a Worker that does what a document may do to it. */

const folder = mkdtempSync(join(tmpdir(), "orbweaver-reader-"));
const script = join(folder, "reader.js");
writeFileSync(
  script,
  `export default { async fetch(request) {
    const text = await request.text();
    if (text === "hang") for (;;);
    if (text === "leave") return fetch("http://127.0.0.1:1/").then((answer) => answer.text()).then((why) => new Response(why));
    return new Response("read " + text);
  } };`,
);
// Others end within this time also on a busy machine.
const LIMIT_MS = 3_000;
const reader = new ReaderProcess({ script, compatibilityDate: "2026-11-01", compatibilityFlags: [] }, LIMIT_MS);
afterAll(async () => {
  await reader.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(body: string): Promise<[status: number, text: string]> {
  const answer = await reader.fetch(new Request("http://reader/", { method: "POST", body }));
  return [answer.status, await answer.text()];
}

test("a document that hangs ends its process; those before and after it are read", async () => {
  const asked = ["one", "hang", "two"].map(ask);
  expect(await Promise.all(asked)).toEqual([
    [200, "read one"],
    [503, "it did not end within 3 s"],
    [200, "read two"],
  ]);
  expect(await ask("leave")).toEqual([200, "no requests leave the reader"]);
});
