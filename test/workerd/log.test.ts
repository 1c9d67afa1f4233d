import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { app } from "../../src/api/app.ts";
import { deliver } from "../../src/frontier/batch/deliver.ts";
import type { FrontierMessage } from "../../src/frontier/batch/message.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { World } from "./world.ts";

/** The Worker logs one JSON line for each batch, heartbeat and request, and no secret. */

const SEED = "https://a.test/private?token=secret";
const SILENT = { sendBatch: async () => undefined } as unknown as Queue;
let lines: Record<string, unknown>[] = [];

beforeEach(() => {
  lines = [];
  for (const level of ["log", "warn", "error"] as const) {
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(JSON.parse(line)));
  }
});

afterEach(() => vi.restoreAllMocks());

function batchOf(crawl: string) {
  const body = { v: 2, crawl, urls: [SEED], epoch: 1 } as FrontierMessage;
  return { messages: [{ body, retry: () => undefined }] } as unknown as MessageBatch<FrontierMessage>;
}

async function ask(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const init = { headers: { authorization: "Bearer test-token", ...headers } };
  return app.request(path, init, { ...env, FRONTIER: SILENT }, createExecutionContext());
}

test("a batch logs its crawls, URLs, hosts, the time of each stage and what it settled", async () => {
  const world = new World(() => ({ links: ["https://a.test/next"] }));
  const crawl = await world.start([SEED]);
  await deliver(batchOf(crawl), "frontier", world.deps, "all");
  expect(lines).toEqual([
    {
      event: "batch",
      crawls: [crawl],
      hints: 1,
      urls: 1,
      hosts: 1,
      commits: 1,
      failures: 0,
      stagesMs: Object.fromEntries(
        ["admit", "fetch", "write", "commit", "schedule"].map((stage) => [stage, expect.any(Number)]),
      ),
      settled: { [crawl]: { completed: 1 } },
    },
  ]);
});

test("a batch that fails logs the stage and the cause", async () => {
  const world = new World(() => ({ links: [] }), {
    beforeCommit: () => {
      throw new Error("D1 is away");
    },
  });
  const crawl = await world.start([SEED]);
  await deliver(batchOf(crawl), "frontier", world.deps, "all");
  expect(lines).toMatchObject([
    { event: "batch", crawls: [crawl], stagesMs: { commit: expect.any(Number) }, settled: {}, failures: 1 },
    { event: "batch-failed", crawls: [crawl], error: "the ledger could not be written: D1 is away" },
  ]);
});

test("a heartbeat logs what it did", async () => {
  await heartbeat(new World(() => ({ links: [] })).deps);
  expect(lines).toMatchObject([{ event: "heartbeat", ms: expect.any(Number), repaired: [], started: [], due: 0 }]);
});

test("a request logs its route and an id, which its answer and its error have too", async () => {
  const good = await ask("/api/crawls", { "x-request-id": "my-id" });
  expect(good.headers.get("x-request-id")).toBe("my-id");
  const bad = await ask(`/api/crawls/none/page?url=${encodeURIComponent(SEED)}`);
  const { requestId } = (await bad.json()) as { requestId: string };
  expect(requestId).toBe(bad.headers.get("x-request-id"));
  const times = { ms: expect.any(Number) };
  expect(lines).toEqual([
    { event: "request", id: "my-id", method: "GET", route: "/api/crawls", status: 200, ...times },
    { event: "request", id: requestId, method: "GET", route: "/api/crawls/:id/page", status: 404, ...times },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/secret|test-token/);
});
