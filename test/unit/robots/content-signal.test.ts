import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PURPOSES, type Use } from "../../../src/robots/content-signal.ts";
import { decideRobots, refusingSignal } from "../../../src/robots/decide-robots.ts";
import { parseRobots } from "../../../src/robots/parse.ts";

/** https://contentsignals.org/ */

const ALL: Use[] = [...PURPOSES, "use=full"];

function refused(text: string, uses: readonly Use[], path = "/page", agent = "orbweaver"): string | null {
  return refusingSignal(parseRobots(text), agent, `https://a.test${path}`, uses)?.signal ?? null;
}

const group = (...lines: string[]) => `User-agent: *\n${lines.join("\n")}`;
const signal = (value: string) => group(`Content-Signal: ${value}`, "Allow: /");

describe("the uses that a line refuses", () => {
  test.each<[value: string, uses: Use[], refused: string | null]>([
    ["search=yes, ai-train=no", ["search"], null],
    ["search=yes, ai-train=no", ["ai-train"], "Content-Signal: ai-train=no"],
    ["search=yes,ai-train=no", ["search", "ai-input", "ai-train"], "Content-Signal: ai-train=no"],
    ["search=yes, ai-input=yes, ai-train=yes", ALL, null],
    // A use that is not named is neither granted nor refused.
    ["ai-train=no", ["ai-input"], null],
    ["search=no", ["search"], "Content-Signal: search=no"],
    ["  SEARCH = No  ", ["search"], "Content-Signal: search=no"],
    ["search=no # a comment", ["search"], "Content-Signal: search=no"],
    ["search=no;ai-train=no", ["search"], null],
    ["search=maybe", ["search"], null],
    ["search", ["search"], null],
    ["", ALL, null],
    [",,,=,=no,search=", ALL, null],
    ["index=no, search=no", ["search"], "Content-Signal: search=no"],
    ["use=full", ["use=full"], null],
    ["use=full", ["use=reference"], null],
    ["use=reference", ["use=full"], "Content-Signal: use is below full"],
    ["use=reference", ["use=reference"], null],
    ["use=immediate", ["use=reference"], "Content-Signal: use is below reference"],
    ["use=immediate", ["use=full"], "Content-Signal: use is below full"],
    ["use=no", ["use=full"], null],
    ["search=yes,ai-train=no,use=reference", ["search", "use=reference"], null],
    // If two signals contradict each other, the refusal wins, in any order.
    ["search=yes, search=no", ["search"], "Content-Signal: search=no"],
    ["search=no, search=yes", ["search"], "Content-Signal: search=no"],
  ])("%s, for %j", (value, uses, expected) => expect(refused(signal(value), uses)).toBe(expected));
});

describe("the paths and agents of a signal", () => {
  const ARCHIVE = group(
    "Content-Signal: search=yes",
    "Content-Signal: /archive/ search=no",
    "Content-Signal: /archive/open search=yes",
  );
  test.each<[name: string, text: string, path: string, refused: string | null]>([
    ["outside the path", ARCHIVE, "/page", null],
    ["below the path", ARCHIVE, "/archive/1", "Content-Signal: /archive/ search=no"],
    ["below a longer one", ARCHIVE, "/archive/open/1", null],
    ["a pattern", group("Content-Signal: /*.pdf$ search=no"), "/a.pdf", "Content-Signal: /*.pdf$ search=no"],
    ["another group's", "User-agent: other\nContent-Signal: search=no\n\nUser-agent: *\nAllow: /", "/", null],
    [
      "our own group's",
      "User-agent: *\nAllow: /\n\nUser-agent: Orbweaver\nContent-Signal: search=no\nAllow: /",
      "/",
      "Content-Signal: search=no",
    ],
    [
      "where our group says nothing",
      "User-agent: *\nContent-Signal: search=no\nAllow: /\n\nUser-agent: Orbweaver\nAllow: /",
      "/",
      null,
    ],
    [
      "in two groups of one agent",
      "User-agent: *\nAllow: /\n\nUser-agent: *\nContent-Signal: search=no\nDisallow: /x",
      "/",
      "Content-Signal: search=no",
    ],
    [
      "of the agents named together",
      "User-agent: other\nUser-agent: *\nContent-Signal: search=no",
      "/",
      "Content-Signal: search=no",
    ],
    ["before any group", "Content-Signal: search=no\nUser-agent: *\nAllow: /", "/", null],
    ["after the rules", group("Allow: /", "Content-Signal: search=no"), "/", "Content-Signal: search=no"],
  ])("%s", (_, text, path, expected) => expect(refused(text, ["search"], path)).toBe(expected));

  test("a signal ends no group and changes no rule", () => {
    const robots = parseRobots("User-agent: a\nContent-Signal: search=no\nUser-agent: b\nDisallow: /x");
    expect(["a", "b"].map((agent) => decideRobots(robots, agent, "https://a.test/x").allowed)).toEqual([false, false]);
  });
});

test("any value is read, and never grants less than nothing", () => {
  fc.assert(
    fc.property(fc.string(), fc.webPath(), (value, path) => {
      const robots = parseRobots(signal(value.replaceAll(/[\r\n]/g, " ")));
      expect(decideRobots(robots, "x", `https://a.test${path}`).allowed).toBe(true);
      expect(refusingSignal(robots, "x", `https://a.test${path}`, [])).toBeNull();
    }),
  );
});

test("a file full of signals stays within the bounds of storage and is decided fast", () => {
  const text = `User-agent: *\n${Array.from({ length: 15_000 }, (_, i) => `content-signal:/${i} use=immediate`).join("\n")}`;
  const robots = parseRobots(text);
  expect(JSON.stringify(robots).length).toBeLessThan(2_000_000);
  expect(refusingSignal(robots, "x", "https://a.test/3", ["use=full"])?.signal).toContain("/3 use is below full");
});
