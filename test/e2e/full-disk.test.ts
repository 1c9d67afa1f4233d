import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startGeneratedSite } from "../sites/generated-site.ts";
import { MAIN, scratch } from "./cli.ts";

/** The disk fills up during a crawl and has room again afterwards. The test needs a mount of its own. */

const PAGES = 600;
const canMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;
if (!canMount) console.warn("full-disk.test.ts is skipped: `unshare -rm mount` does not work on this machine");

const dir = scratch();

afterAll(() => dir.remove());

test.skipIf(!canMount)(
  "a crawl stops on a full disk, says so, and ends with the same set once there is room",
  async () => {
    const site = await startGeneratedSite({ pages: PAGES, links: 20, bytes: 6_000 });
    const state = join(dir.path, "state");
    const orbweaver = `"${process.execPath}" "${MAIN}"`;
    const crawl = `crawl ${site.origin}/ --delay 0 --concurrency 8 --limit 5000`;
    const script = `
    mkdir "${state}" && mount -t tmpfs -o size=4m tmpfs "${state}"
    ${orbweaver} ${crawl} --state "${state}"; echo "first: $?"
    mount -o remount,size=500m "${state}"
    ${orbweaver} resume --state "${state}"; echo "second: $?"`;
    const child = spawn("unshare", ["-rm", "sh", "-c", script]);
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (text += data.toString()));
    await new Promise((resolve) => child.once("close", resolve));
    expect(text).toContain(`The disk that ${state} is on is full.`);
    expect(text).toContain("All completed pages are stored. Resume with: npm run orbweaver -- resume");
    expect(text).toContain("first: 1");
    expect(text).toContain(`Completed: ${PAGES} pages`);
    expect(text).toContain("second: 0");
    await site.close();
  },
);
