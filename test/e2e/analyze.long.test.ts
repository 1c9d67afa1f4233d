import { globSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import type { PassView, StartedPassView } from "../../src/api/views.ts";
import { startGeneratedSite } from "../sites/generated-site.ts";
import { callApi } from "./api-calls.ts";
import { crawl, type Ended, run, type Served, scratch, serve, start } from "./cli.ts";
import { descendantsOf, killIfThere } from "./kill-all.ts";

/** `orbweaver analyze`, with SIGKILL of everything in the middle of a pass, and with Ctrl-C. */

const PAGES = 300;
/** A pass of so few pages takes half a second, so a kill, a look or a Ctrl-C may come late. Then it is tried again. */
const MAX_KILLS = 10;
const dir = scratch();
const state = join(dir.path, "state");

afterAll(() => dir.remove());

/** The bytes of the results of passes, as the local R2 stores them. */
function resultsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.includes("blobs"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
    .filter((bytes) => bytes.subarray(4, 12).toString() === '{"rows":')
    .map((bytes) => bytes.toString("base64"));
}

/** The ledger of a state folder, beside the one who uses it. */
function openLedger(): DatabaseSync {
  const files = globSync(join(state, "v3", "d1", "*", "*.sqlite"));
  return new DatabaseSync(files.find((path) => basename(path) !== "metadata.sqlite") ?? "");
}

function updateTitles(expression: string): void {
  const ledger = openLedger();
  ledger.exec(`UPDATE urls SET title = ${expression}`);
  ledger.close();
}

async function passOf(id: string, server: Served): Promise<PassView | undefined> {
  return (await callApi<PassView[]>(server, "GET", `/api/crawls/${id}/passes`))[0];
}

/**
 * Resolves when the running pass has done so many steps, or when none runs any more after `started`. The database is
 * asked, because a server is slower.
 */
async function waitForSteps(steps: number, started: Promise<unknown>): Promise<void> {
  const ledger = openLedger();
  const running = ledger.prepare("SELECT steps_done AS done FROM passes WHERE status = 'running'");
  let hasStarted = false;
  void started.finally(() => {
    hasStarted = true;
  });
  for (;;) {
    const done = running.get()?.done as number | undefined;
    if (done === undefined ? hasStarted : done >= steps) break;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  ledger.close();
}

/** Starts a pass, and kills everything between its first and its last step. Returns the pass. */
async function killInTheMiddle(crawlId: string): Promise<string> {
  for (let kills = 0; kills < MAX_KILLS; kills++) {
    const server = await serve(state);
    const pids = [...descendantsOf(server.pid), server.pid];
    const path = `/api/crawls/${crawlId}/passes`;
    const started = callApi<StartedPassView>(server, "POST", path).catch(() => undefined);
    await waitForSteps(2, started);
    for (const pid of pids) killIfThere(pid);
    await started;
    const ledger = openLedger();
    const left = ledger.prepare("SELECT id FROM passes WHERE status = 'running'").get();
    ledger.close();
    if (left !== undefined) return left.id as string;
  }
  throw new Error("every pass ended before its kill");
}

test("an analysis goes on from its last finished step after SIGKILL, and has the same bytes", {
  timeout: 400_000,
}, async () => {
  const site = await startGeneratedSite({ pages: PAGES, links: 10, bytes: 2_000 });
  const flags = ["--delay", "0", "--limit", "1000", "--analyze"];
  const { summary, ended } = await crawl(dir.path, `${site.origin}/`, ...flags);
  await site.close();
  const { id } = summary;
  expect([ended.code, summary.completed, ended.stderr]).toEqual([
    0,
    PAGES,
    expect.stringMatching(/is analyzed, in \d+ steps/),
  ]);
  const [bytes] = resultsIn(state);
  expect(bytes?.length).toBeGreaterThan(1_000);

  // The command joins the pass that was killed. Its first step, if it were repeated, would read other titles.
  const killed = await killInTheMiddle(id);
  updateTitles("title || ' changed'");
  const again = await run("analyze", id, "--state", state);
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining(`Pass ${killed} is running already.`)]);
  expect(again.stdout).toContain("is analyzed, in ");
  expect(resultsIn(state)).toEqual([bytes]);
  updateTitles("replace(title, ' changed', '')");

  // A server makes it go on when it starts. It also answers while the pass runs, which may end before it is asked.
  const steps = new Set<number>();
  for (let kills = 0; steps.size < 2 && kills < MAX_KILLS; kills++) {
    const left = await killInTheMiddle(id);
    const server = await serve(state);
    let pass = await passOf(id, server);
    for (; pass?.status === "running"; pass = await passOf(id, server)) steps.add(pass.stepsDone);
    await server.close();
    expect(pass).toMatchObject({ id: left, status: "completed", error: null });
    expect(resultsIn(state)).toEqual([bytes]);
  }
  expect(steps.size).toBeGreaterThan(1);

  // Ctrl-C leaves it to the next command.
  let stopped: Ended;
  let kills = 0;
  do {
    const command = start("analyze", id, "--state", state);
    await waitForSteps(0, command.ended);
    command.child.kill("SIGINT");
    stopped = await command.ended;
  } while (stopped.stdout.includes("is analyzed, in ") && ++kills < MAX_KILLS);
  expect([stopped.code, stopped.stdout]).toEqual([
    0,
    expect.stringContaining(`Go on with: npm run orbweaver -- analyze ${id}`),
  ]);
  const last = await run("analyze", id, "--state", state);
  expect([last.code, last.stdout]).toEqual([0, expect.stringContaining("is analyzed, in ")]);
  expect(resultsIn(state)).toEqual([bytes]);
});

test("the analysis of a crawl that does not exist is refused", async () => {
  const refused = await run("analyze", "ffffffff", "--state", state);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("no crawl")]);
});
