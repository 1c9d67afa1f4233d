import { expect, test } from "vitest";
import { chooseLedgerOf, type LedgerRoom } from "../../../../src/crawl/bounds/ledger-choice.ts";

const GB = 1e9;
const room = (ledger: number, bytes: number, underWay = 0, limitBytes = 10 * GB): LedgerRoom => ({
  ...{ ledger, bytes, limitBytes, underWay },
});

test.each<[string, LedgerRoom[], number | null]>([
  ["the one with the most room", [room(0, 5 * GB), room(1, 2 * GB), room(2, 3 * GB)], 1],
  ["of two that are about as full, the one with fewer crawls", [room(0, 1e6, 3), room(1, 2e6, 1)], 1],
  ["of two with as many crawls, the smaller", [room(0, 2e6, 1), room(1, 1e6, 1)], 1],
  ["of two that are the same, the first", [room(0, 1e6), room(1, 1e6)], 0],
  ["room counts before crawls", [room(0, 5 * GB, 0), room(1, 4 * GB, 9)], 1],
  ["none that is nine tenths full", [room(0, 9 * GB), room(1, 8.9 * GB, 100)], 1],
  ["none if all are", [room(0, 9 * GB), room(1, 9.5 * GB)], null],
  ["what is left, not what is used", [room(0, 1 * GB, 0, 2 * GB), room(1, 5 * GB, 0, 10 * GB)], 1],
])("%s", (_, rooms, expected) => {
  expect(chooseLedgerOf(rooms)).toBe(expected);
});
