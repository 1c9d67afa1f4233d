import { expect, test } from "vitest";
import {
  decideTelling,
  firstVersion,
  noteSteadyPlaces,
  noteTurn,
  type ToldVersions,
  tellNow,
  withoutHeld,
} from "../../../src/changes/told-versions.ts";

/** What happens at each visit: `t` for tell, `b` for a return, `h` for hold, `.` for nothing. `waits`: 0 if absent. */
function visits(hashes: string, waits = ""): string {
  const [first = "", ...others] = hashes;
  let versions = firstVersion(first);
  return others
    .map((hash, at) => {
      const decided = decideTelling(versions, { hash, waits: Number(waits[at] ?? 0), lastAt: at });
      versions = decided.versions;
      expect(JSON.stringify(versions).length).toBeLessThan(300);
      if (decided.backTo !== null) return "b";
      return { tell: "t", hold: "h", nothing: "." }[decided.telling];
    })
    .join("");
}

test.each([
  ["versions that are new are told at once", "ABCD", "", "ttt"],
  ["unchanged visits are not", "AAABBB", "", "..t.."],
  ["states that alternate are told each time", "ABABABAB", "", "tbbbbbb"],
  ["each as often as it comes", "AABBABCA", "", ".t.bbtb"],
  ["a version that waits is told by the next visit that finds it", "ABBB", "111", "ht."],
  ["or the one after that", "ABBB", "222", "hht"],
  ["another one that waits is held anew", "ABCC", "111", "hht"],
  ["others at each visit are told in the end", "ABCDEFG", "111111", "hhhhth"],
  ["what nothing holds any more is told at once", "ABB", "10", "ht"],
  ["one that is gone again is forgotten", "ABAB", "101", "h.h"],
])("%s", (_, hashes, waits, expected) => {
  expect(visits(hashes, waits)).toBe(expected);
});

test("a return says when the page said this last", () => {
  const first = decideTelling(firstVersion("A"), { hash: "B", waits: 0, lastAt: 5 });
  expect(first).toMatchObject({ telling: "tell", backTo: null, versions: { told: "B", former: ["A"], returns: 0 } });
  const back = decideTelling(first.versions, { hash: "A", waits: 0, lastAt: 9 });
  expect(back).toMatchObject({ telling: "tell", backTo: 5, versions: { told: "A", former: ["B"], returns: 1 } });
  expect(back.versions.seen).toEqual({ B: 9 });
});

test("a version that is shown in turns with the one told last is no news until another one is told", () => {
  const turned = noteTurn(firstVersion("A"), "B");
  expect(decideTelling(turned, { hash: "B", waits: 0, lastAt: 1 }).telling).toBe("nothing");
  // It may have stayed after many visits in a row.
  let stayed = turned;
  for (let visit = 1; visit < 6; visit++) stayed = noteTurn(stayed, "B");
  expect(decideTelling(stayed, { hash: "B", waits: 0, lastAt: 1 }).telling).toBe("tell");
  expect(decideTelling(withoutHeld(stayed), { hash: "B", waits: 0, lastAt: 1 }).telling).toBe("nothing");
  const { versions } = decideTelling(turned, { hash: "C", waits: 0, lastAt: 1 });
  expect(decideTelling(versions, { hash: "B", waits: 0, lastAt: 2 }).telling).toBe("tell");
});

test("the last places where a look found the same are kept", () => {
  let versions = firstVersion("A");
  for (const at of [1, 2, 3, 4, 5, 6, 7, 8]) versions = noteSteadyPlaces(versions, [`p${at}`], at);
  versions = noteSteadyPlaces(versions, ["p4"], 9);
  expect(Object.keys(versions.steady ?? {})).toEqual(["p3", "p5", "p6", "p7", "p8", "p4"]);
  expect(tellNow(versions, "B", 10).steady).toEqual(versions.steady);
});

test("rows of earlier versions are read", () => {
  const stored = JSON.parse('{"told":"B","former":["A"],"back":{"hash":"A","visits":3},"returns":4}') as ToldVersions;
  const back = decideTelling(stored, { hash: "A", waits: 0, lastAt: 7 });
  expect(back).toMatchObject({ telling: "tell", backTo: null, versions: { told: "A", returns: 5, seen: { B: 7 } } });
});
