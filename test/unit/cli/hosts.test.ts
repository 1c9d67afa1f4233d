import { expect, test } from "vitest";
import type { HostView } from "../../../src/api/views.ts";
import { describeHosts } from "../../../src/cli/installation/hosts.ts";

const HOST: HostView = {
  ...{ host: "a.test", queued: 7, delayMs: 1_000, crawlDelayMs: null, failures: 0, busy: false, before: [] },
  ...{ nextAt: "2026-01-01T00:00:00.000Z", waitingSince: null, why: "", samePages: [] },
} as unknown as HostView;
const RULE: HostView["samePages"][number] = {
  ...{ scope: "/shop/*", part: "?sort", state: "in use", same: 8, different: 0, confidence: 1, samples: 3 },
  ...{ values: [], examples: [], withdrawnBy: null },
};

test("a host has a line for each rule that is or was in use", () => {
  const samePages = [RULE, { ...RULE, part: "?tint", state: "learning" as const }];
  expect(describeHosts([{ ...HOST, samePages }], 0)).toEqual([
    "  a.test: 7 queued, 1.0 s between requests\n" +
      "    ?sort at /shop/* never changes the page: in use (8 pages the same, 0 not, 3 verified)",
  ]);
});

test("a withdrawn rule does not claim that the part changes nothing", () => {
  const [line = ""] = describeHosts([{ ...HOST, samePages: [{ ...RULE, state: "withdrawn", different: 1 }] }], 0);
  expect(line).toContain("?sort at /shop/* changes pages after all: withdrawn (8 pages the same, 1 not, 3 verified)");
});
