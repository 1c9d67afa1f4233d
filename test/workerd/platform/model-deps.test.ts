import { expect, test } from "vitest";
import { ASKS_NOTHING } from "../../../src/fetch/request/page-request.ts";
import type { Deps } from "../../../src/frontier/deps.ts";
import { Invocation, MAX_INVOCATIONS } from "./invocation.ts";
import { Isolate } from "./isolates.ts";
import { Platform } from "./platform.ts";
import { withStorage } from "./storage.ts";

/** The calls that start a Worker: /workers/runtime-apis/bindings/service-bindings/#limits */

const URL = "https://a.test/";
const CALLS = [
  ...["fetchPage", "readPage", "fetchMedia", "fetchSitemap", "fetchHead"],
  ...["readHeavyPage", "readContent", "readVersion", "readFields"],
] as const;

test.each(CALLS)("%s counts among the invocations of its request", async (name) => {
  await withStorage(async (storage) => {
    const platform = new Platform(storage, { seed: 1, web: () => ({ kind: "page", links: [] }) });
    const request = { ...ASKS_NOTHING, url: URL, agent: "a", timeoutMs: 1_000, capture: null, validators: null };
    const stored = { body: new Uint8Array(), contentType: "text/html", headers: [], httpStatus: 200 };
    const call = async (started: number) => {
      const invocation = new Invocation(new Isolate(1));
      for (let i = 0; i < started; i++) invocation.startWorker();
      const deps = platform.depsOf(invocation);
      const ask = deps[name as keyof Deps] as (...args: unknown[]) => Promise<unknown>;
      const args = name.startsWith("fetch") ? [request] : [stored, request];
      return platform.time.until(ask(...args)).then(() => "", String);
    };
    expect(await call(MAX_INVOCATIONS)).toContain("too many Worker invocations");
    expect(await call(MAX_INVOCATIONS - 1)).not.toContain("too many Worker invocations");
  });
});
