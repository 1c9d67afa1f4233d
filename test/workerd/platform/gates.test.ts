import { expect, test } from "vitest";
import { DEFAULT_POLITENESS } from "../../../src/crawl/crawl-options.ts";
import type { AdmitRequest } from "../../../src/host/gate-protocol.ts";
import type { RobotsRead, RobotsRequest } from "../../../src/host/robots-file.ts";
import type { FaultPlan } from "./faults.ts";
import { Gates } from "./gates.ts";
import { Invocation } from "./invocation.ts";
import { Isolate } from "./isolates.ts";
import { quietSurroundings } from "./network.ts";

/** The model of Durable Objects, against the pages on their lifecycle, code updates and known issues. */

function open(robotsMs = 10, plan?: FaultPlan) {
  const around = quietSurroundings(1, plan);
  const { time } = around;
  const origins: string[] = [];
  const fetchRobots = async (origin: string, request: RobotsRequest): Promise<RobotsRead> => {
    origins.push(origin);
    const hold = await request.holdHost(`${origin}/robots.txt`);
    await time.sleep(robotsMs);
    await hold.release(robotsMs, true);
    return { file: { state: "allow-all", fetchedAt: time.now() }, durationMs: robotsMs, answered: true };
  };
  const gates = new Gates(around, fetchRobots);
  const gate = gates.stubOf(new Invocation(new Isolate(1)), "a.test");
  return { time, gates, gate, origins };
}

const URL_ASKED = { url: "https://a.test/", origin: "https://a.test", agent: "Test", uses: [] };
const REQUEST: AdmitRequest = {
  urls: [{ crawl: "c", ...URL_ASKED }],
  policy: { ...DEFAULT_POLITENESS, concurrency: 1, timeoutMs: 30_000, userAgent: "Test" },
};

test("a gate that leaves memory keeps its storage: robots.txt is not read again, and the lane is still out", async () => {
  const { time, gates, gate, origins } = open();
  expect((await time.until(gate.admit(REQUEST))).lane).not.toBeNull();
  gates.evict("a.test");
  const again = await time.until(gate.admit(REQUEST));
  expect([again.lane, again.verdicts[0]?.kind]).toEqual([null, "wait"]);
  expect(origins).toEqual(["https://a.test"]);
});

test("a gate with a call under way does not leave memory", async () => {
  const { time, gates, gate } = open(1_000);
  const first = gate.admit(REQUEST);
  await time.until(time.sleep(500));
  gates.evict("a.test");
  expect((await time.until(first)).verdicts).toHaveLength(1);
});

test("a replaced gate fails its calls, and cannot write any more", async () => {
  const { time, gates, gate } = open(1_000);
  const first = gate.admit(REQUEST);
  first.catch(() => undefined);
  await time.until(time.sleep(500));
  gates.reset("a.test");
  await expect(time.until(first)).rejects.toThrow("its code was updated");
  await time.until(time.sleep(5_000));
  // The old object's robots.txt came too late to be stored.
  const { robots } = await time.until(
    gate.status({ origins: ["https://a.test"], agent: "Test", policy: REQUEST.policy }),
  );
  expect(robots[0]?.state).toBe("unread");
});

test("a deploy replaces each gate within 300 seconds", async () => {
  const { time, gates, gate } = open(400_000, { rate: 1e-3, budget: 10, kills: 10 });
  const startedAt = time.now();
  // Only this call waits for a slow robots.txt.
  const slow = gate.inspect({ ...URL_ASKED, policy: REQUEST.policy });
  slow.catch(() => undefined);
  await time.until(time.sleep(100));
  gates.deploy();
  await expect(time.until(slow)).rejects.toThrow("its code was updated");
  expect(time.now() - startedAt).toBeLessThanOrEqual(300_200);
});

test("what crosses to a gate and back is a copy", async () => {
  const { time, gate } = open();
  const request = structuredClone(REQUEST);
  const call = gate.admit(request);
  request.urls.length = 0;
  expect((await time.until(call)).verdicts.length).toBeLessThanOrEqual(1);
});
