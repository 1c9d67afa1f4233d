import fc from "fast-check";
import { expect, test } from "vitest";
import { type ComparedFinding, compareFindings } from "../../../src/graph/problems/compare-findings.ts";
import { type Finding, makeFinding, orderFindings } from "../../../src/graph/problems/finding.ts";

const name = fc.constantFrom("", "a", "b");
const finding = fc
  .record({
    kind: fc.constantFrom("broken-link", "redirect", "thin-page"),
    page: name,
    target: name,
    text: name,
    place: fc.constantFrom("navigation", "content"),
    detail: name,
  })
  .map(({ kind, ...facts }) => makeFinding(kind, facts));
const findings = fc.array(finding);

test("a finding is new, the same or mended by its id, and the result is in order", async () => {
  await fc.assert(
    fc.asyncProperty(findings, findings, async (earlier, later) => {
      const sorted = [earlier, later].map((list) => list.toSorted(orderFindings)) as [Finding[], Finding[]];
      const compared: ComparedFinding[] = [];
      for await (const each of compareFindings(...sorted)) compared.push(each);
      const idsOf = (list: Finding[]) => new Set(list.map(({ id }) => id));
      const [old, now] = [idsOf(earlier), idsOf(later)];
      const changeOf = (id: string) => (!old.has(id) ? "new" : now.has(id) ? "still" : "mended");
      expect(compared.map(({ id }) => id).toSorted()).toEqual([...new Set([...old, ...now])].toSorted());
      for (const { id, change } of compared) expect(change).toBe(changeOf(id));
      expect(compared).toEqual(compared.toSorted(orderFindings));
    }),
  );
});

test("two findings have one id exactly where their order is equal", () => {
  fc.assert(
    fc.property(finding, finding, (one, other) => {
      expect(orderFindings(one, other) === 0).toBe(one.id === other.id);
      expect(orderFindings(one, other) + orderFindings(other, one)).toBe(0);
    }),
  );
});

test("the id of a finding stays when its detail changes, and is the same in each version", () => {
  const one = makeFinding("broken-link", { page: "https://a.test/", target: "https://a.test/b", detail: "status 404" });
  const { id } = makeFinding("broken-link", {
    page: "https://a.test/",
    target: "https://a.test/b",
    detail: "no answer",
  });
  expect(id).toBe(one.id);
  expect(id).toMatch(/^[0-9a-f]{16}$/);
});
