import { expect, test } from "vitest";
import { decideTelling, firstVersion } from "../../../src/changes/told-versions.ts";

/** What happens at each visit: `t` for tell, `h` for hold, `.` for nothing. */
function visits(hashes: string, looks = ""): string {
  const [first = "", ...others] = hashes;
  let versions = firstVersion(first);
  return others
    .map((hash, at) => {
      const decided = decideTelling(versions, hash, looks[at] === "?");
      versions = decided.versions;
      expect(JSON.stringify(versions).length).toBeLessThan(200);
      return { tell: "t", hold: "h", nothing: "." }[decided.telling];
    })
    .join("");
}

test.each([
  ["versions that are new are told at once", "ABCD", "ttt"],
  ["unchanged visits are not", "AAABBB", "..t.."],
  ["two servers that take turns are told once", "ABABABABAB", "th.h.h.h."],
  ["two servers that change places at random are told seldom", "AABBABAABBBAAAABAABB", ".t.h.hthhh....h..hh"],
  ["a version that is back and stays is told one visit later", "AABBBAAAA", ".t..ht.."],
  ["the second time it must stay for four visits", "ABAABBBBBB", "ththhht.."],
  ["three servers are told once each", "ABCABCABC", "tthh.hh."],
])("%s", (_, hashes, expected) => {
  expect(visits(hashes)).toBe(expected);
});

test.each([
  ["a version that needs a second look is told if the next visit finds it", "ABBB", "???", "ht."],
  ["it is told at once when nothing asks for another look", "ABB", "? ", "ht"],
  ["others at each visit are never told", "ABCDE", "????", "hhhh"],
  ["it is forgotten where the version told last is back", "ABAB", "???", "h.h"],
  ["it is no return: a former version is still told after two visits", "ABBAA", "????", "htht"],
])("%s", (_, hashes, looks, expected) => {
  expect(visits(hashes, looks)).toBe(expected);
});
