import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { startGeneratedSite } from "../sites/generated-site.ts";
import { MAIN, scratch } from "./cli.ts";
import { hasTool } from "./required-tools.ts";

/**
 * The disk fills up during a crawl, or while its folder is written, and has room again afterwards. The tests need a
 * mount of their own.
 */

const PAGES = 600;
const mounted = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;
const canMount = hasTool("mounts", mounted, "a full disk");

const dir = scratch();

afterAll(() => dir.remove());

const orbweaver = `"${process.execPath}" "${MAIN}"`;

/** Runs a shell script whose mounts are its own. Returns its output. */
async function runInMounts(script: string): Promise<string> {
  const child = spawn("unshare", ["-rm", "sh", "-c", `exec 2>&1\n${script}`]);
  let text = "";
  child.stdout.on("data", (data: Buffer) => (text += data.toString()));
  await new Promise((resolve) => child.once("close", resolve));
  return text;
}

test.skipIf(!canMount)(
  "a crawl pauses before the disk is full, says so, and ends with the same set once there is room",
  async () => {
    const site = await startGeneratedSite({ pages: PAGES, links: 20, bytes: 60_000 });
    const state = join(dir.path, "state");
    const crawl = `crawl ${site.origin}/ --delay 0 --concurrency 8 --limit 5000 --store files`;
    const text = await runInMounts(`
    mkdir "${state}" && mount -t tmpfs -o size=72m tmpfs "${state}"
    ${orbweaver} ${crawl} --state "${state}"; echo "first: $?"
    df --output=avail -BM "${state}" | tail -1
    ${orbweaver} resume --state "${state}"; echo "without room: $?"
    ${orbweaver} ${crawl} --state "${state}"; echo "another: $?"
    ${orbweaver} list --state "${state}"
    mount -o remount,size=500m "${state}"
    ${orbweaver} resume --state "${state}"; echo "second: $?"`);
    await site.close();
    const [first = "", rest = ""] = text.split("first: 1\n");
    expect(first).toMatch(
      /Waiting: the disk has \d+(\.\d)? MB left, which is too little for crawls\. Delete crawls that are not needed/,
    );
    expect(first).toContain("Stopped; nothing is lost. Resume with: npm run orbweaver -- resume");
    expect(Number.parseInt(rest, 10)).toBeGreaterThan(20);
    expect(rest).toMatch(/The disk has [^\n]*"orbweaver delete ID"\.\nwithout room: 1/);
    expect(rest).toMatch(/The disk has [^\n]*"orbweaver delete ID"\.\nanother: 1/);
    expect(rest).toMatch(/Database: [\d.]+ [kM]B, and its disk has [\d.]+ MB left\./);
    expect(rest).toContain(`Completed: ${PAGES} pages`);
    expect(rest).toContain("second: 0");
  },
);

test.skipIf(!canMount)(
  "a crawl stops when something else fills the disk, and ends with the same set once there is room",
  async () => {
    const filled = join(dir.path, "filled");
    // The crawl has a pack by then, and must not end before the disk is full.
    const hold = async (nth: number) => {
      while (nth > 200 && !existsSync(filled)) await sleep(20);
    };
    const site = await startGeneratedSite({ pages: PAGES, links: 20, bytes: 6_000, hold });
    const state = join(dir.path, "shared");
    const crawl = `crawl ${site.origin}/ --delay 0 --concurrency 8 --limit 5000`;
    const text = await runInMounts(`
    mkdir "${state}" && mount -t tmpfs -o size=200m tmpfs "${state}"
    (until find "${state}" -path '*/r2/*/blobs/*' -type f -size +20k 2> /dev/null | grep -q .; do sleep 0.05; done
     cat /dev/zero > "${state}/ballast" 2> /dev/null; touch "${filled}") &
    ${orbweaver} ${crawl} --state "${state}"; echo "first: $?"
    wait; rm "${state}/ballast"
    ${orbweaver} resume --state "${state}"; echo "second: $?"`);
    await site.close();
    expect(text).toContain("first: 1");
    expect(text).toMatch(/is on is full\.|Waiting: the database /);
    expect(text).toContain("Resume with: npm run orbweaver -- resume");
    expect(text).toContain(`Completed: ${PAGES} pages`);
    expect(text).toContain("second: 0");
  },
);

test.skipIf(!canMount)(
  "a folder on a full disk has no records.jsonl, and is written again once there is room",
  async () => {
    const site = await startGeneratedSite({ pages: 100, links: 20, bytes: 20_000 });
    const state = join(dir.path, "roomy");
    const out = join(dir.path, "out");
    const text = await runInMounts(`
    mkdir "${out}" && mount -t tmpfs -o size=1m tmpfs "${out}"
    ${orbweaver} crawl ${site.origin}/ --delay 0 --concurrency 8 --state "${state}" --out "${out}"; echo "first: $?"
    ls "${out}"
    mount -o remount,size=500m "${out}"
    ${orbweaver} resume --state "${state}" --out "${out}"; echo "second: $?"
    ls "${out}"; wc -l < "${out}/records.jsonl"; find "${out}/pages" -type f | wc -l`);
    await site.close();
    const [first = "", second = ""] = text.split("first: 1\n");
    expect(first).toContain(`The disk that ${out} is on is full.\nThe folder ${out} is not complete`);
    expect(first).toMatch(/Write it again with: npm run orbweaver -- resume \S+ --out /);
    expect(second.startsWith("crawl.json\npages\n")).toBe(true);
    expect(second).toContain(`Wrote 100 pages and records.jsonl to ${out}.\nsecond: 0\n`);
    expect(second).toMatch(/crawl\.json\npages\nrecords\.jsonl\n100\n100\n$/);
  },
);
