import { expect, test } from "vitest";
import { packJson } from "../../../src/core/formats/gzip-json.ts";
import { NO_MEMBER } from "../../../src/passes/links/url-index.ts";
import {
  countMemberSteps,
  type Member,
  MEMBERS_PER_BLOCK,
  MemberNumbers,
  memberGroups,
  readMembers,
} from "../../../src/passes/members.ts";

/** Stages of an analysis that read all members. */
const STAGES = 6;
/** https://developers.cloudflare.com/workflows/reference/limits/ */
const MAX_STEPS = 10_000;

test("rows of the same pack and offset have the same number, and others another one", () => {
  const rows = Array.from({ length: 3_000 }, (_, i): Member | null =>
    i % 10 === 0 ? null : [`pack-${i % 40}`, i % 3, 100],
  );
  const numbers = new MemberNumbers(rows.length);
  for (const row of rows) numbers.add(row);
  const { members, memberOf } = numbers.finish();
  const keys = new Map<number, Set<string>>();
  for (const [node, row] of rows.entries()) {
    const number = memberOf[node] as number;
    if (row === null) expect(number).toBe(NO_MEMBER);
    else keys.set(number, (keys.get(number) ?? new Set()).add(row.join()));
  }
  expect([...keys.values()].every(({ size }) => size === 1)).toBe(true);
  expect([...keys.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: members }, (_, i) => i));
  expect(members).toBe(new Set(rows.flatMap((row) => (row === null ? [] : row.join()))).size);
});

test.each([0, 1, 399, 400, 401, 80_000, 2_000_000])("%s members are in the groups once, in few steps", (members) => {
  const groups = [...memberGroups(members)];
  expect(groups.map(({ group }) => group)).toEqual(groups.map((_, i) => i));
  expect(groups.length).toBe(countMemberSteps(members));
  expect(STAGES * groups.length).toBeLessThan(MAX_STEPS - 2_000);
  let next = 0;
  for (const { numbers } of groups)
    for (const number of numbers()) if (number !== next++) throw new Error(`${number} comes at ${next - 1}`);
  expect(next).toBe(members);
});

test("a block is read once for the members that are wanted of it", async () => {
  const read: number[] = [];
  const readBlock = async (block: number) => {
    read.push(block);
    return packJson(Array.from({ length: 3 }, (_, i): Member => [`pack-${block}`, i, 9]));
  };
  const found = await readMembers([0, 2, MEMBERS_PER_BLOCK + 1], readBlock);
  expect(read).toEqual([0, 1]);
  expect([...found]).toEqual([
    [0, ["pack-0", 0, 9]],
    [2, ["pack-0", 2, 9]],
    [MEMBERS_PER_BLOCK + 1, ["pack-1", 1, 9]],
  ]);
});
