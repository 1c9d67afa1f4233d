import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, scratch, serve } from "./cli.ts";

/** `npm run probe` against `serve`: 25 hosts on loopback, of which seven never answer for a page. */

const PROBE = join(import.meta.dirname, "..", "..", "scripts", "probe.ts");
const dir = scratch();
let server: Served;

beforeAll(async () => {
  server = await serve(join(dir.path, "state"));
});

afterAll(async () => {
  await server.close();
  dir.remove();
});

async function probe(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { ORBWEAVER_TOKEN: _, ...env } = process.env;
  const child = spawn(process.execPath, [PROBE, ...args], { stdio: ["ignore", "pipe", "pipe"], env });
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

test("measures what can be measured, and deletes its crawls", async () => {
  const { code, stdout, stderr } = await probe(
    ...[server.address, "--token", server.token],
    ...["--timeout", "4", "--delay", "0.1"],
  );
  expect([code, stderr]).toEqual([0, ""]);
  for (const row of [
    /^request to the API +\d+ ms {2}/m,
    /^\.\.\. with a read of D1 +\d+ ms {2}/m,
    /^\.\.\. and of all gates +\d+ ms {2}18 gates/m,
    /^time to the first page +\d+ ms {2}/m,
    /^dry run of one URL +\d+ ms {2}/m,
    /^18 pages on 18 hosts +\d+ ms {2}/m,
    /^\.\.\. beside 7 silent hosts +\d+ ms {2}their timeout is 4000 ms/m,
    /^\.\.\. shown as stored +\d+ ms {2}/m,
    /^ratio, beside to alone +x \d+\.\d {2}/m,
    /^rate of 90 pages +[\d.]+\/s {2}/m,
    /^URLs per batch +[\d.]+ {2}/m,
    /^cost +[\d.]+ USD {2}/m,
  ])
    expect(stdout).toMatch(row);
  const response = await fetch(`${server.address}/api/crawls`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  expect(await response.json()).toMatchObject({ result: [] });
});

test("says why where no page was stored", async () => {
  const { code, stderr } = await probe(server.address, "--token", server.token, "--fast", `${server.address}/none`);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/None of 1 page was stored.*\/none: .*401/)]);
});

test.each([
  ["without a token", ["http://127.0.0.1:1/"], "--token"],
  ["for a deployed installation without pages", ["https://crawl.example.com", "--token", "t"], "--fast URL"],
  ["for an address that is no URL", ["here", "--token", "t"], "here is not a URL"],
  ["for a delay that is no number", ["http://127.0.0.1:1/", "--delay", "slow"], "number of seconds"],
])("is refused %s", async (_, args, words) => {
  const { code, stderr } = await probe(...args);
  expect(code).toBe(2);
  expect(stderr).toContain(words);
});
