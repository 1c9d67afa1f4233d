import { expect, test } from "vitest";
import { DEFAULT_POLITENESS } from "../../src/crawl/crawl-options.ts";
import type { Admission, Gate, HostStatus } from "../../src/host/gate-protocol.ts";
import { hostStatuses } from "../../src/reading/explain/host-status.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { type Web, World } from "./world.ts";

/** Crawls that share a host's gate, and crawls whose gate still runs an older version. */

useModelLedger();

const PAGES = 60;
const web: Web = (url) => {
  const { origin, pathname } = new URL(url);
  const kind = pathname.split("/")[1];
  const isSeed = pathname === `/${kind}`;
  return { links: isSeed ? Array.from({ length: PAGES }, (_, i) => `${origin}/${kind}/${i}`) : [] };
};

test.each([[["usual", "none"]], [["none", "usual"]]])("a host is shared out between crawls: %s", async (order) => {
  const world = new World(web);
  const ids: Record<string, string> = {};
  for (const pace of order) {
    const politeness = { ...DEFAULT_POLITENESS, minDelayMs: pace === "usual" ? 1_000 : 0 };
    ids[pace] = await world.start([`https://a.test/${pace}`], { politeness });
    await world.turn();
  }
  const startedAt = world.now;
  const completed = async (pace: string) => (await world.deps.ledger.crawl(ids[pace] ?? ""))?.counters.completed ?? 0;
  for (let turn = 0; (await completed("usual")) < 30; turn++) {
    const crawl = await world.deps.ledger.crawl(ids.usual ?? "");
    expect(
      [turn < 1_000, crawl?.status],
      JSON.stringify([crawl, await world.deps.records.list(crawl?.id ?? "", { limit: 5, cursor: "" })]),
    ).toEqual([true, "running"]);
    await world.turn();
  }
  expect(await completed("none")).toBeGreaterThanOrEqual(20);
  // 30 pages of the usual pace, and the other crawl's turns.
  expect(world.now - startedAt).toBeLessThan(120_000);
});

/** A gate as version 0.1.0 (commit 07e37a0) answers: without the fields that came later. */
function olderGate(gate: Gate): Gate {
  const without = (admission: Admission): Admission => {
    if (admission.lane === null) return admission;
    const { drops: _drops, ...lane } = admission.lane;
    return { ...admission, lane };
  };
  return {
    admit: async (request) => without(await gate.admit(request)),
    settle: async ({ drops: _drops, ...request }) => gate.settle(request),
    inspect: (request) => gate.inspect(request),
    status: async (request) => {
      const { before: _before, ...status } = await gate.status(request);
      return status as HostStatus & Pick<Awaited<ReturnType<Gate["status"]>>, "robots">;
    },
    recall: (request) => gate.recall(request),
    lend: (request) => gate.lend(request),
  };
}

test("a crawl works with a gate that still runs the older version", async () => {
  const world = new World((url) => (url.endsWith("/3") ? { status: 503 } : web(url, 0)));
  const gate = world.deps.gate;
  let failures = 2;
  world.deps.gate = (host) => ({
    ...olderGate(gate(host)),
    // It counts an unreachable robots.txt as a failed try of each URL.
    admit: async (request) => {
      if (failures-- > 0) {
        const failed = { kind: "failed", reason: "timeout", detail: "no answer in time", delayMs: 1_000 } as const;
        return { verdicts: request.urls.map(() => failed), lane: null, sitemaps: {} };
      }
      return olderGate(gate(host)).admit(request);
    },
  });
  const id = await world.start(["https://a.test/x"]);
  await world.runToEnd(id);
  const crawl = await world.deps.ledger.crawl(id);
  expect(crawl?.counters).toMatchObject({ completed: PAGES, errored: 1 });
  if (crawl !== null) {
    const changed = { ...crawl, hosts: ["a.test"] };
    expect(await hostStatuses(changed, world.deps)).toMatchObject([{ host: "a.test", before: [] }]);
  }
});
