import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type BrowserProcess, browserProcesses } from "./browser-processes.ts";

/**
 * Watches the browsers that this machine draws pages in, and ends what takes more than a page may. A page whose process
 * ends is told as `too-complex` (fetch/browser/tab.ts). No limit of the system can do it: V8 reserves far more address
 * space than it uses. On Cloudflare the platform bounds the browser.
 */

/** Memory of one page, and of a whole browser with three pages, in bytes. Usual pages take 50 to 200 MB. */
export const MAX_PAGE_BYTES = 512 * 1024 ** 2;
export const MAX_BROWSER_BYTES = 1_200 * 1024 ** 2;
/** CPU time of one page. It is drawn within 15 s, or 30 s with actions, but may use several cores. In milliseconds. */
export const MAX_PAGE_CPU_MS = 30_000;
/** A page fills some 100 MB in this time, in milliseconds. */
const EVERY_MS = 50;
/** Memory of a process that was ended is given back within so many looks: until then, no neighbour is ended for it. */
const LOOKS_BETWEEN = 10;
/** `ps` takes longer than /proc. */
const EVERY_PS_MS = 500;
/** How often the folder is looked at while there is no browser. */
const FOLDER_LOOK_MS = 500;

/**
 * The processes to end: pages that are too large or too busy. If the browser as a whole is too large, its largest page
 * goes first, for what its other processes hold belongs to pages: one process at a time, as memory comes back. Without
 * a page, the browser itself.
 */
export function chooseEnds(processes: readonly BrowserProcess[], leader: number, hasJustEnded = false): number[] {
  const isBeyond = ({ isRenderer, bytes, cpuMs }: BrowserProcess) =>
    isRenderer && (bytes > MAX_PAGE_BYTES || cpuMs > MAX_PAGE_CPU_MS);
  const beyond = processes.filter(isBeyond);
  if (beyond.length > 0) return beyond.map(({ pid }) => pid);
  if (hasJustEnded || processes.reduce((sum, { bytes }) => sum + bytes, 0) <= MAX_BROWSER_BYTES) return [];
  const [largest] = processes.filter(({ isRenderer }) => isRenderer).toSorted((a, b) => b.bytes - a.bytes);
  return [largest?.pid ?? leader];
}

/** Where each browser notes itself when it starts: a file named HOST.LEADER, by the ids of two processes. */
export function notesFolder(cache: string): string {
  return join(cache, "running");
}

/** Watches the browsers that this process starts, until it ends. */
export function watchBrowsers(notes: string): void {
  mkdirSync(notes, { recursive: true });
  for (const name of readdirSync(notes)) {
    const isOld = name.startsWith(`${process.pid}.`) || !isRunning(Number(name.split(".")[1]));
    if (isOld) rmSync(join(notes, name), { force: true });
  }
  /** By browser, the looks until its memory as a whole counts again. */
  const rests = new Map<number, number>();
  const watchOnce = async (note: string, leader: number): Promise<void> => {
    const rest = rests.get(leader) ?? 0;
    const processes = await browserProcesses(leader);
    const ends = chooseEnds(processes, leader, rest > 0);
    rests.set(leader, ends.length > 0 ? LOOKS_BETWEEN : Math.max(0, rest - 1));
    if (processes.length === 0) {
      rmSync(note, { force: true });
      rests.delete(leader);
    }
    for (const pid of ends) process.kill(pid, "SIGKILL");
  };
  const look = async (): Promise<void> => {
    const own = readdirSync(notes).filter((name) => name.startsWith(`${process.pid}.`));
    for (const name of own) await watchOnce(join(notes, name), Number(name.split(".")[1])).catch(() => undefined);
    const everyMs = process.platform === "linux" ? EVERY_MS : EVERY_PS_MS;
    setTimeout(() => void look(), own.length === 0 ? FOLDER_LOOK_MS : everyMs).unref();
  };
  void look();
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
