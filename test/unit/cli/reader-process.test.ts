import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Request } from "miniflare";
import { afterAll, expect, test } from "vitest";
import { ReaderProcess } from "../../../src/cli/machine/reader-process.ts";
import { ReaderProcesses } from "../../../src/cli/machine/reader-processes.ts";
import { useReaderScript } from "../../../src/cli/machine/reader-script.ts";

/** The reader's own processes, with a Worker that does what a document may do to it. */

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
const BUILD = { folder, files: ["reader.js"], compatibilityDate: "2026-11-01", compatibilityFlags: [] };
// Others end within this time also on a busy machine.
const LIMIT_MS = 3_000;
const [one, two] = [1, 2].map((readers) => new ReaderProcesses(BUILD, { readers, limitMs: LIMIT_MS })) as [
  ReaderProcesses,
  ReaderProcesses,
];
afterAll(async () => {
  await Promise.all([one.dispose(), two.dispose()]);
  rmSync(folder, { recursive: true, force: true });
});

async function ask(readers: ReaderProcesses, body: string): Promise<[status: number, text: string]> {
  const answer = await readers.fetch(new Request("http://reader/", { method: "POST", body }));
  return [answer.status, await answer.text()];
}

test.concurrent("a document that hangs ends its process and is the cause; those before and after it are read", async () => {
  const asked = ["one", "hang", "two"].map((body) => ask(one, body));
  expect(await Promise.all(asked)).toEqual([
    [200, "read one"],
    [422, "it did not end within 3 s"],
    [200, "read two"],
  ]);
  expect(await ask(one, "leave")).toEqual([200, "no requests leave the reader"]);
});

test.concurrent("a second process reads on while the first one hangs", async () => {
  const ends: string[] = [];
  const asked = ["hang", "one", "two", "three"].map((body) => ask(two, body).then(([, text]) => ends.push(text)));
  await Promise.all(asked);
  expect(ends).toEqual(["read one", "read two", "read three", "it did not end within 3 s"]);
});

test.concurrent("a process ends after a document that took long, because it may hold much memory", async () => {
  const reader = new ReaderProcess(BUILD, 30_000);
  const read = async (body: string) => {
    const answer = await reader.read(new TextEncoder().encode(body).buffer as ArrayBuffer);
    return [await answer.text(), reader.isStarted];
  };
  expect([await read("one"), await read("slow"), await read("two")]).toEqual([
    ["read one", true],
    ["read slow", false],
    ["read two", true],
  ]);
  await reader.dispose();
});

test.concurrent("a reader leaves the machine to the crawler", async () => {
  const readers = new ReaderProcesses(BUILD, { readers: 1 });
  expect(await ask(readers, "one")).toEqual([200, "read one"]);
  const processes = execFileSync("ps", ["-A", "-o", "ppid=,nice=,args="], { encoding: "utf8" }).split("\n");
  const own = processes.filter((line) => line.trim().startsWith(`${process.pid} `) && line.includes("workerd serve"));
  expect(own.length).toBeGreaterThan(0);
  expect(own.map((line) => line.trim().split(/\s+/)[1])).toEqual(own.map(() => "19"));
  await readers.dispose();
});
