import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lockState } from "../../src/cli/installation/state-lock.ts";
import type { Summary } from "../../src/cli/output/summary.ts";
import { type Site, startSite } from "../sites/site.ts";
import { copyLedgerTemplate, run, scratch, start } from "./cli.ts";

/** Several commands at once on one state folder: they share the process that works there, and the last one ends it. */

const dir = scratch();
const PAGES = 12;
const sites: Site[] = [];
/** Opens what holds the second half of each site. */
const gates: (() => void)[] = [];
let state: string;
let n = 0;

/** Pages in a row. From the middle on they answer when the gate is open. */
async function startRow(): Promise<string> {
  const { promise: isOpen, resolve } = Promise.withResolvers<void>();
  gates.push(resolve);
  const site = await startSite(
    async ({ url = "" }, response) => {
      if (!/^\/\d*$/.test(url)) return void response.writeHead(404).end();
      const at = Number(url.slice(1));
      if (at > PAGES / 2) await isOpen;
      const next = at + 1 < PAGES ? `<a href="/${at + 1}">next</a>` : "";
      response.setHeader("content-type", "text/html").end(`<title>Page ${at}</title><p>Number ${at}. ${next}`);
      // Each is a host of its own: crawls of one host take turns.
    },
    { host: `127.0.0.${gates.length + 1}` },
  );
  sites.push(site);
  return `${site.origin}/`;
}

function crawl(url: string, ...args: string[]) {
  return start("crawl", url, "--delay", "0", "--json", "--state", state, ...args);
}

/** A crawl of a site of its own that has started. */
async function startCrawl() {
  const running = crawl(await startRow());
  await running.printed("started.");
  return running;
}

function summaryOf({ stdout, stderr }: { stdout: string; stderr: string }): Summary {
  expect(stdout, stderr).toMatch(/^\{/);
  return JSON.parse(stdout) as Summary;
}

/** Whether no process has the folder any more. */
async function expectFree(): Promise<void> {
  const held = await lockState(state);
  held.release();
}

beforeAll(() => {
  state = join(dir.path, String(n++));
  copyLedgerTemplate(state);
});
afterAll(async () => {
  for (const site of sites) await site.close();
  dir.remove();
});

describe("commands on one state folder", () => {
  test("crawl side by side, and others read meanwhile; the first may end first", async () => {
    const [first, second] = [await startCrawl(), await startCrawl()];
    const { code, stdout } = await run("list", "--state", state, "--json");
    const listed = JSON.parse(stdout) as { status: string }[];
    expect([code, listed.map(({ status }) => status)]).toEqual([0, ["running", "running"]]);
    gates[0]?.();
    expect(summaryOf(await first.ended)).toMatchObject({ status: "completed", completed: PAGES });
    gates[1]?.();
    expect(summaryOf(await second.ended)).toMatchObject({ status: "completed", completed: PAGES });
    await expectFree();
  });

  test("one that is stopped pauses its own crawl alone, and can be resumed beside the other", async () => {
    const [first, second] = [await startCrawl(), await startCrawl()];
    first.child.kill("SIGINT");
    const stopped = await first.ended;
    const { id, status } = summaryOf(stopped);
    expect([status, stopped.stderr]).toEqual(["paused", expect.stringContaining("Resume with:")]);
    gates[2]?.();
    const resumed = await run("resume", id, "--json", "--state", state);
    expect(summaryOf(resumed)).toMatchObject({ id, status: "completed", completed: PAGES });
    gates[3]?.();
    expect(summaryOf(await second.ended)).toMatchObject({ status: "completed", completed: PAGES });
    await expectFree();
  });

  test("one that is killed leaves the others their process", async () => {
    const [first, second] = [await startCrawl(), await startCrawl()];
    first.child.kill("SIGKILL");
    await first.ended;
    gates[5]?.();
    expect(summaryOf(await second.ended)).toMatchObject({ status: "completed", completed: PAGES });
    await expectFree();
  });

  test("that start at the same moment find each other", async () => {
    const urls = [await startRow(), await startRow(), await startRow()];
    for (const open of gates) open();
    const ended = await Promise.all(urls.map((url) => crawl(url).ended));
    expect(ended.map(summaryOf)).toMatchObject(urls.map(() => ({ status: "completed", completed: PAGES })));
  });
});
