import { join } from "node:path";
import { expect, test } from "vitest";
import { page, startHandmadeSite } from "../sites/handmade-site.ts";
import { crawl, readRecords, run, scratch, serve } from "./cli.ts";

test("`retry` fetches only failed URLs, and with --reason limit continues past the limit", async () => {
  const dir = scratch();
  const pages: Parameters<typeof startHandmadeSite>[0] = { "/": page("home", "/flaky", "/other", "/third") };
  const site = await startHandmadeSite(pages);
  const { remote, close } = await serve(join(dir.path, "served"));
  try {
    const first = await crawl(
      dir.path,
      `${site.origin}/`,
      "--delay",
      "0",
      "--limit",
      "10",
      "--source",
      "links",
      ...remote,
    );
    expect(first.summary).toMatchObject({ completed: 1, errored: 3 });

    Object.assign(pages, { "/flaky": page("well"), "/other": page("other"), "/third": page("third") });
    site.log.length = 0;
    const out = join(dir.path, "again");
    const args = [...remote, "--json", "--out", out];
    const second = await run("retry", first.summary.id, "--reason", "http-status", "--limit", "2", ...args);
    expect(JSON.parse(second.stdout)).toMatchObject({ status: "completed", completed: 2, errored: 0, skipped: 2 });
    const third = await run("retry", first.summary.id, "--reason", "limit", "--limit", "100", ...args);
    expect(JSON.parse(third.stdout)).toMatchObject({ status: "completed", completed: 4, skipped: 0 });
    expect(readRecords(out).map(({ status }) => status)).toEqual(Array(4).fill("completed"));
    const asked = site.log.map(({ path }) => path).filter((url) => url !== "/robots.txt");
    expect(asked.toSorted()).toEqual(["/flaky", "/other", "/third"]);

    for (const command of ["retry", "resume"]) {
      const named = await run(command, "latest", ...args);
      expect([command, named.code, named.stderr]).toEqual([command, 0, expect.not.stringContaining("belongs to")]);
    }

    const noUrls = await run("retry", first.summary.id, ...remote);
    expect([noUrls.code, noUrls.stdout]).toEqual([0, expect.stringContaining("no such URLs")]);
  } finally {
    await close();
    await site.close();
    dir.remove();
  }
});
