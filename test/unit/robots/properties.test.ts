/** Properties of every robots.txt and every URL. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { crawlDelayOf, decideRobots } from "../../../src/robots/decide-robots.ts";
import { decodeRobots, parseRobots } from "../../../src/robots/parse.ts";
import { isAllowedByReference } from "./reference.ts";

const HOST = "https://h.example";
/** Few names with collisions, so that rules match. */
const PIECES = [
  "/",
  "a",
  "b",
  "ab",
  "aab",
  "*",
  "$",
  "?",
  "=",
  ":",
  "%2F",
  "%2f",
  "%3A",
  "%61",
  "%2A",
  "%24",
  "%",
  "%4",
  "'",
  "ツ",
  "%E3",
  "|",
  ".",
];
const piece = fc.constantFrom(...PIECES);
const rulePath = fc.array(piece, { maxLength: 9 }).map((pieces) => `/${pieces.join("")}`);
const rule = fc.record({
  allow: fc.boolean(),
  path: fc.oneof(
    { weight: 9, arbitrary: rulePath },
    { weight: 1, arbitrary: fc.constantFrom("", "*", "*a", "*$", "*.b$") },
  ),
});
const rules = fc.array(rule, { maxLength: 12 });
const urlPath = fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join("")}`);
const anyText = fc.string({ unit: "binary", maxLength: 300 });
const line = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("User-agent", "Allow", "Disallow", "Crawl-delay", "Sitemap", "x"),
      fc.oneof(rulePath, anyText, fc.constantFrom("a", "*", "5")),
    )
    .map(([key, value]) => `${key}: ${value}`),
  anyText,
);
const file = fc.array(line, { maxLength: 30 }).map((lines) => lines.join("\n"));

function render(agent: string, ofAgent: readonly { allow: boolean; path: string }[]): string {
  return [
    `User-agent: ${agent}`,
    ...ofAgent.map(({ allow, path }) => `${allow ? "Allow" : "Disallow"}: ${path}`),
    "",
  ].join("\n");
}

describe("properties", () => {
  test("2.3.1.5 no file, token or URL makes it throw", () => {
    fc.assert(
      fc.property(fc.oneof(file, anyText), anyText, fc.oneof(anyText, urlPath), (text, token, url) => {
        const robots = parseRobots(text);
        expect(typeof decideRobots(robots, token, url).allowed).toBe("boolean");
        expect(typeof decideRobots(robots, token, HOST + url).allowed).toBe("boolean");
        const delay = crawlDelayOf(robots, token);
        expect(delay === null || (Number.isFinite(delay) && delay >= 0)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("2.3.1.5 no octets make it throw", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        expect(decideRobots(parseRobots(decodeRobots(bytes)), "a", `${HOST}/x`).allowed).toBe(true);
      }),
    );
  });

  test("a parsed file is plain data: it decides the same after JSON", () => {
    fc.assert(
      fc.property(file, urlPath, (text, path) => {
        const robots = parseRobots(text);
        const copy: typeof robots = JSON.parse(JSON.stringify(robots));
        expect(copy).toEqual(robots);
        expect(decideRobots(copy, "a", HOST + path)).toEqual(decideRobots(robots, "a", HOST + path));
      }),
    );
  });

  test("2.2.1 an empty file allows everything", () => {
    fc.assert(
      fc.property(anyText, fc.webUrl({ withQueryParameters: true }), (token, url) => {
        expect(decideRobots(parseRobots(""), token, url)).toEqual({ allowed: true, rule: null, agent: null });
      }),
    );
  });

  test("2.2.2 it agrees with the reference", () => {
    fc.assert(
      fc.property(rules, urlPath, (ofAgent, path) => {
        const url = new URL(HOST + path);
        const decided = decideRobots(parseRobots(render("a", ofAgent)), "a", HOST + path);
        expect(decided.allowed).toBe(isAllowedByReference(ofAgent, url.href.slice(HOST.length)));
      }),
      { numRuns: 5_000 },
    );
  });

  test("2.2.2 it agrees with the reference on rules cut out of the URL", () => {
    const cut = fc.tuple(
      urlPath,
      fc.array(fc.tuple(fc.nat(20), fc.nat(20), fc.boolean(), fc.boolean()), { maxLength: 8 }),
    );
    fc.assert(
      fc.property(cut, ([path, cuts]) => {
        const ofAgent = cuts.map(([from, length, allow, anchored]) => ({
          allow,
          path: `/${path.slice(1, 1 + (from % 3))}*${path.slice(from, from + length)}${anchored ? "$" : ""}`,
        }));
        const url = new URL(HOST + path);
        const decided = decideRobots(parseRobots(render("a", ofAgent)), "a", HOST + path);
        expect(decided.allowed).toBe(isAllowedByReference(ofAgent, url.href.slice(HOST.length)));
      }),
      { numRuns: 3_000 },
    );
  });

  test("2.2.2 the order of rules does not matter, nor do duplicates", () => {
    fc.assert(
      fc.property(rules, urlPath, (ofAgent, path) => {
        const inOrder = decideRobots(parseRobots(render("a", ofAgent)), "a", HOST + path);
        const reversed = decideRobots(parseRobots(render("a", [...ofAgent, ...ofAgent].reverse())), "a", HOST + path);
        expect(reversed).toEqual(inOrder);
      }),
      { numRuns: 1_000 },
    );
  });

  test("2.2.1 the order of groups does not matter, nor the distribution of an agent's rules over them", () => {
    const groups = fc.array(fc.tuple(fc.constantFrom("a", "A", "b", "*"), rules), { maxLength: 6 });
    // A group without rules would merge with the next.
    const text = (of: readonly (readonly [string, readonly { allow: boolean; path: string }[]])[]) =>
      of.map(([agent, ofAgent]) => render(agent, [...ofAgent, { allow: true, path: "" }])).join("");
    fc.assert(
      fc.property(groups, urlPath, fc.constantFrom("a", "b", "c"), (of, path, token) => {
        const inOrder = decideRobots(parseRobots(text(of)), token, HOST + path);
        const merged = ["*", "b", "a"].flatMap((agent) => {
          const ofAgent = of.filter(([name]) => name.toLowerCase() === agent);
          return ofAgent.length === 0 ? [] : [[agent, ofAgent.flatMap(([, its]) => its)] as const];
        });
        expect(decideRobots(parseRobots(text([...of].reverse())), token, HOST + path)).toEqual(inOrder);
        expect(decideRobots(parseRobots(text(merged)), token, HOST + path)).toEqual(inOrder);
      }),
      { numRuns: 1_000 },
    );
  });

  test("a typo that Google forgives forbids what the correct line forbids", () => {
    const typos = fc.constantFrom("Disallow ", "dissallow: ", "Dissalow:", "disalow: ", "diasllow: ", "disallaw: ");
    // A path with a colon or a # is another line without its colon.
    const paths = rulePath.filter((path) => !/[:#]/.test(path));
    const lines = fc.array(fc.record({ allow: fc.boolean(), path: paths, typo: typos }), { maxLength: 8 });
    const agents = fc.constantFrom("User-agent ", "useragent: ", "user agent: ", "Useragent:");
    fc.assert(
      fc.property(agents, lines, urlPath, (agent, ofAgent, path) => {
        const written = ofAgent.map(({ allow, path, typo }) => (allow ? `Allow: ${path}` : typo + path));
        const text = ["User-agent: b", "Disallow:", `${agent}a`, ...written].join("\n");
        const correct = decideRobots(parseRobots(render("a", ofAgent)), "a", HOST + path);
        expect(decideRobots(parseRobots(text), "a", HOST + path).allowed).toBe(correct.allowed);
      }),
      { numRuns: 1_000 },
    );
  });

  test("2.2.3 a rule made of the URL's own text, specials encoded, matches it", () => {
    fc.assert(
      fc.property(fc.webPath(), (path) => {
        // Without dot segments, which the URL parser removes.
        const { pathname } = new URL(`${HOST}/x${path}`);
        const spelled = pathname.replaceAll("*", "%2A").replaceAll("$", "%24");
        expect(decideRobots(parseRobots(`user-agent: *\ndisallow: ${spelled}`), "a", HOST + pathname).allowed).toBe(
          false,
        );
      }),
    );
  });
});
