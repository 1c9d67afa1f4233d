import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type DatabaseRoom,
  describeNoRoom,
  describeRoom,
  lacksRoom,
  levelAfter,
  levelOf,
  ROOM_LEVELS,
  readDatabaseLimit,
} from "../../../src/crawl/bounds/database-room.ts";

const GB = 1_000_000_000;
const at = (percent: number): DatabaseRoom => ({
  bytes: (percent * 10 * GB) / 100,
  limitBytes: 10 * GB,
  diskFreeBytes: null,
});

describe("what stops", () => {
  it.each([
    [0, "room", false, false],
    [89.99, "room", false, false],
    [90, "filling", true, false],
    [94.99, "filling", true, false],
    [95, "full", true, true],
    [100, "full", true, true],
    [140, "full", true, true],
  ] as const)("at %d% of the limit: %s", (percent, level, crawls, watches) => {
    expect(levelOf(at(percent))).toBe(level);
    expect(lacksRoom(at(percent), { isWatch: false })).toBe(crawls);
    expect(lacksRoom(at(percent), { isWatch: true })).toBe(watches);
  });

  it("stops all where the disk has nothing free", () => {
    expect(levelOf({ bytes: 5_000, limitBytes: 5_000, diskFreeBytes: 4_000 })).toBe("full");
  });
});

describe("what is told", () => {
  it("is each level when it is reached, and its end when it is clearly over", () => {
    const shares = [50, 89, 90, 89, 90.5, 88.5, 87.9, 95, 94, 93.5, 92.9, 99, 87];
    const told: (typeof ROOM_LEVELS)[number][] = [];
    for (const share of shares) told.push(levelAfter(told.at(-1) ?? "room", at(share)));
    expect(told).toEqual([
      ...["room", "room", "filling", "filling", "filling", "filling", "room"],
      ...["full", "full", "full", "filling", "full", "room"],
    ]);
  });

  it("is never less than what stops, and settles at once", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ROOM_LEVELS), fc.double({ min: 0, max: 120, noNaN: true }), (before, percent) => {
        const told = levelAfter(before, at(percent));
        expect(ROOM_LEVELS.indexOf(told)).toBeGreaterThanOrEqual(ROOM_LEVELS.indexOf(levelOf(at(percent))));
        expect(levelAfter(told, at(percent))).toBe(told);
      }),
    );
  });
});

describe("the words", () => {
  it.each([
    [at(91), "9.1 GB of 10 GB (91%)"],
    [at(90), "9 GB of 10 GB (90%)"],
    [at(89.99), "9 GB of 10 GB (89%)"],
    [{ bytes: 455_000_000, limitBytes: 500_000_000, diskFreeBytes: null }, "455 MB of 500 MB (91%)"],
    [{ bytes: 2_100_000, limitBytes: 98 * GB, diskFreeBytes: 98.1 * GB }, "2.1 MB, and its disk has 98.1 GB left"],
  ])("say how full it is: %o", (room, words) => {
    expect(describeRoom(room)).toBe(words);
  });

  it("say what to delete", () => {
    const deletable = [
      { id: "1a2b", bytes: 1.24 * GB },
      { id: "3c4d", bytes: 340_000_000 },
    ];
    expect(describeNoRoom(at(91), deletable)).toBe(
      'the database has 9.1 GB of 10 GB (91%), and crawls pause at 90%. Delete crawls that are not needed, such as 1a2b (about 1.2 GB), 3c4d (about 340 MB): "orbweaver delete ID"',
    );
    expect(describeNoRoom(at(96), [], { isWatch: true })).toContain("visits pause at 95%. Delete crawls");
    expect(describeNoRoom({ bytes: 7e5, limitBytes: 7e5, diskFreeBytes: 38e6 }, [])).toBe(
      'the disk has 38 MB left, which is too little for crawls. Delete crawls that are not needed: "orbweaver delete ID"',
    );
    expect(describeNoRoom(at(50), [], { isRefused: true })).toContain("refused to grow, at 5 GB of 10 GB (50%)");
  });
});

it.each([
  [undefined, null],
  ["", null],
  ["10 GB", 10 * GB],
  ["500MB", 500_000_000],
  ["2.5 gb", 2.5 * GB],
  ["1000000", 1_000_000],
  ["0", Number.NaN],
  ["ten", Number.NaN],
  ["10 TB", Number.NaN],
  ["-5 GB", Number.NaN],
])("the setting %o is %o bytes", (setting, bytes) => {
  expect(readDatabaseLimit(setting)).toBe(bytes);
});
