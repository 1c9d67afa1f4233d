import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { type BrowserProcess, browserProcesses, readPs } from "../../../src/cli/machine/browser-processes.ts";
import {
  chooseEnds,
  MAX_BROWSER_BYTES,
  MAX_PAGE_BYTES,
  MAX_PAGE_CPU_MS,
} from "../../../src/cli/machine/watch-browser.ts";

/** What ends when a browser takes too much: the page that does, and the browser itself only where no page is left. */

const MIB = 1_024 ** 2;
const LEADER = 100;
const main = (bytes: number): BrowserProcess => ({ pid: LEADER, isRenderer: false, bytes, cpuMs: 1e9 });
const page = (pid: number, bytes: number, cpuMs = 0): BrowserProcess => ({ pid, isRenderer: true, bytes, cpuMs });

const CASES: [name: string, processes: BrowserProcess[], ends: number[]][] = [
  ["usual pages go on", [main(250 * MIB), page(1, 200 * MIB), page(2, 300 * MIB), page(3, 100 * MIB)], []],
  ["three heavy pages go on", [main(200 * MIB), page(1, 330 * MIB), page(2, 330 * MIB), page(3, 330 * MIB)], []],
  ["a page at its bound goes on", [main(100 * MIB), page(1, MAX_PAGE_BYTES, MAX_PAGE_CPU_MS)], []],
  ["a page beyond ends alone", [main(100 * MIB), page(1, MAX_PAGE_BYTES + 1), page(2, 100 * MIB)], [1]],
  ["each page beyond ends", [main(1), page(1, 9 * MAX_PAGE_BYTES), page(2, 1), page(3, 2 * MAX_PAGE_BYTES)], [1, 3]],
  ["a busy page ends", [main(1), page(1, 1), page(2, 1, MAX_PAGE_CPU_MS + 1)], [2]],
  ["what the browser holds for pages ends the largest", [main(MAX_BROWSER_BYTES), page(1, 1), page(2, 2)], [2]],
  ["without a page, the browser ends", [main(MAX_BROWSER_BYTES + 1)], [LEADER]],
  ["a browser that has ended needs nothing", [], []],
];

test.each(CASES)("%s", (_, processes, ends) => {
  expect(chooseEnds(processes, LEADER)).toEqual(ends);
});

test("no neighbour ends for memory that an ended page has not given back yet", () => {
  const processes = [main(MAX_BROWSER_BYTES), page(1, 1)];
  expect(chooseEnds(processes, LEADER, true)).toEqual([]);
  expect(chooseEnds([...processes, page(2, MAX_PAGE_BYTES + 1)], LEADER, true)).toEqual([2]);
});

test("the processes of a group are those that its leader starts, with their memory and CPU time", async () => {
  if (process.platform === "win32") return;
  const holding = "const held = Buffer.alloc(90_000_000, 1); console.log(held.length); setInterval(() => {}, 1e6)";
  const leader = spawn(process.execPath, ["-e", holding, "--", "--type=renderer"], { detached: true });
  await once(leader.stdout, "data");
  const [found, ...others] = await browserProcesses(leader.pid ?? 0);
  expect(others).toEqual([]);
  expect(found).toMatchObject({ pid: leader.pid, isRenderer: true });
  expect(found?.bytes).toBeGreaterThan(90_000_000);
  expect(found?.bytes).toBeLessThan(400_000_000);
  expect(found?.cpuMs).toBeGreaterThan(0);
  leader.kill("SIGKILL");
  await once(leader, "exit");
  expect(await browserProcesses(leader.pid ?? 0)).toEqual([]);
});

const PS = `
  100   100  20480       00:00:01 /usr/lib/chromium/chromium --headless=new
  101   100   1024     1-02:03:04 /usr/lib/chromium/chromium --type=renderer --lang=en
  102   100      8        0:01.25 Chromium Helper (Renderer) --type=renderer
  200   200  99999       00:00:01 other --type=renderer
`;

test("the output of ps is read as Linux and macOS write it", () => {
  expect(readPs(PS, 100)).toEqual([
    { pid: 100, isRenderer: false, bytes: 20 * MIB, cpuMs: 1_000 },
    { pid: 101, isRenderer: true, bytes: MIB, cpuMs: 93_784_000 },
    { pid: 102, isRenderer: true, bytes: 8_192, cpuMs: 1_250 },
  ]);
});
