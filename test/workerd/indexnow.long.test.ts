import { describe, expect, test } from "vitest";
import type { FetchResult } from "../../src/crawl/page/outcome.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { submit } from "../../src/lifecycle/indexnow.ts";
import { holds, KEY, LOCATION, ORIGIN, startWatch, submission } from "./owned-host.ts";

/** Key files that fail for an hour. */

describe("a submission", () => {
  test("waits behind no file that fails again and again, which is given up after ten answers", async () => {
    const failing = (result: FetchResult): FetchResult => ({
      ...{ kind: "rejected", reason: "http-status", detail: "503", retryable: true, hostFailed: false, dropped: false },
      ...{ unexplained: false, httpStatus: 503, contentType: null, retryAfterMs: null, durationMs: 1, bodyBytes: 0 },
      ...(result.kind === "rejected" ? result : {}),
    });
    const { world } = await startWatch((result, url) => (url === LOCATION ? holds(KEY)(result) : failing(result)));
    for (const name of ["x", "y"]) await submit({ ...submission("/a"), location: `${ORIGIN}/${name}.txt` }, world.deps);
    const beat = async () => {
      world.now += 60_000;
      await heartbeat(world.deps);
    };
    await beat();
    await submit(submission("/a"), world.deps);
    for (let turn = 0; turn < 3; turn++) await beat();
    expect(await submit(submission("/a"), world.deps)).toBe("valid");
    const asked = () => ["x", "y"].map((name) => world.fetched.filter((url) => url === `${ORIGIN}/${name}.txt`).length);
    for (let turn = 0; turn < 60; turn++) await beat();
    expect(asked()).toEqual([10, 10]);
  });
});
