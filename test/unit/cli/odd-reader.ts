import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Request } from "miniflare";
import type { ReaderProcesses } from "../../../src/cli/machine/reader-processes.ts";
import { useReaderScript } from "../../../src/cli/machine/reader-script.ts";

/** A Worker in the reader's place that does what a document may do to it. */

// Others end within this time also on a busy machine.
export const LIMIT_MS = 3_000;

/** Writes it to a folder of its own, for readers that this process starts until `remove` is called. */
export function makeReader() {
  const { MINIFLARE_WORKERD_PATH: before } = process.env;
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-reader-"));
  useReaderScript(folder);
  writeFileSync(
    join(folder, "reader.js"),
    `export default { async fetch(request) {
    const text = await request.text();
    if (text === "hang") for (;;);
    if (text === "slow") await new Promise((resolve) => setTimeout(resolve, 3_500));
    if (text === "leave") return fetch("http://127.0.0.1:1/").then((answer) => answer.text()).then((why) => new Response(why));
    return new Response("read " + text);
  } };`,
  );
  return {
    build: { folder, files: ["reader.js"], compatibilityDate: "2026-11-01", compatibilityFlags: [] },
    remove: () => {
      if (before === undefined) delete process.env.MINIFLARE_WORKERD_PATH;
      else process.env.MINIFLARE_WORKERD_PATH = before;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function ask(readers: ReaderProcesses, body: string): Promise<[status: number, text: string]> {
  const answer = await readers.fetch(new Request("http://reader/", { method: "POST", body }));
  return [answer.status, await answer.text()];
}
