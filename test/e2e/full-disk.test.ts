import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startGeneratedSite } from "../sites/generated-site.ts";
import type { Site } from "../sites/site.ts";
import { MAIN, scratch } from "./cli.ts";

/** A disk that fills up while a crawl writes to it, and has room again afterwards. In a mount of its own, where the system lets one be made. */

const PAGES = 900;
const canMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;
if (!canMount) console.warn("full-disk.test.ts is left out: `unshare -rm mount` does not work on this machine");

const dir = scratch();
let site: Site | undefined;

afterAll(async () => {
  await site?.close();
  dir.remove();
});

test.skipIf(!canMount)(
  "a full disk stops a crawl with a sentence, and with room again it ends with the same set",
  async () => {
    site = await startGeneratedSite({ pages: PAGES, links: 20, bytes: 6_000 });
    const state = join(dir.path, "state");
    const orbweaver = `"${process.execPath}" "${MAIN}"`;
    const script = `
    mkdir "${state}" && mount -t tmpfs -o size=6m tmpfs "${state}"
    ${orbweaver} crawl ${site.origin}/ --delay 0 --concurrency 8 --limit 5000 --state "${state}"; echo "first: $?"
    mount -o remount,size=500m "${state}"
    ${orbweaver} resume --state "${state}"; echo "second: $?"`;
    const child = spawn("unshare", ["-rm", "sh", "-c", script]);
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (text += data.toString()));
    await new Promise((resolve) => child.once("close", resolve));
    expect(text).toContain(`The disk that ${state} is on is full.`);
    expect(text).toContain("What the crawl has is kept. Go on with: npm run orbweaver -- resume");
    expect(text).toContain("first: 1");
    expect(text).toContain(`Completed: ${PAGES} pages`);
    expect(text).toContain("second: 0");
  },
);
