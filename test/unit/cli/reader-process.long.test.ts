import { execFileSync } from "node:child_process";
import { afterAll, expect, test } from "vitest";
import { ReaderProcess } from "../../../src/cli/machine/reader-process.ts";
import { ReaderProcesses } from "../../../src/cli/machine/reader-processes.ts";
import { ask, LIMIT_MS, makeReader } from "./odd-reader.ts";

/** Several processes of the reader, when they end, and what they leave to the crawler. */

const odd = makeReader();
const two = new ReaderProcesses(odd.build, { readers: 2, limitMs: LIMIT_MS });
afterAll(async () => {
  await two.dispose();
  odd.remove();
});

test.concurrent("a second process reads on while the first one hangs", async () => {
  const ends: string[] = [];
  const asked = ["hang", "one", "two", "three"].map((body) => ask(two, body).then(([, text]) => ends.push(text)));
  await Promise.all(asked);
  expect(ends).toEqual(["read one", "read two", "read three", "it did not end within 3 s"]);
});

test.concurrent("a process ends after a document that took long, because it may hold much memory", async () => {
  const reader = new ReaderProcess(odd.build, 30_000);
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
  const readers = new ReaderProcesses(odd.build, { readers: 1 });
  expect(await ask(readers, "one")).toEqual([200, "read one"]);
  const processes = execFileSync("ps", ["-A", "-o", "ppid=,nice=,args="], { encoding: "utf8" }).split("\n");
  const own = processes.filter((line) => line.trim().startsWith(`${process.pid} `) && line.includes("workerd serve"));
  expect(own.length).toBeGreaterThan(0);
  expect(own.map((line) => line.trim().split(/\s+/)[1])).toEqual(own.map(() => "19"));
  await readers.dispose();
});
