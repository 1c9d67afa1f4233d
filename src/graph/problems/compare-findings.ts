import { type Finding, orderFindings } from "./finding.ts";

/** `still`: both passes have it. `mended`: only the earlier one, be it that the page is gone. */
type FindingChange = "new" | "still" | "mended";
export type ComparedFinding = Finding & { change: FindingChange };

type Findings = Iterable<Finding> | AsyncIterable<Finding>;

/**
 * Merges the findings of two passes. Both are in the order of `orderFindings`, and so is the result. An id that comes
 * twice counts once. Memory: one finding of each.
 */
export async function* compareFindings(earlier: Findings, later: Findings): AsyncGenerator<ComparedFinding, void> {
  const [old, now] = [distinct(earlier), distinct(later)];
  let [before, after] = [await old.next(), await now.next()];
  while (!before.done || !after.done) {
    const order = before.done ? 1 : after.done ? -1 : orderFindings(before.value, after.value);
    if (order < 0 && !before.done) yield { ...before.value, change: "mended" };
    else if (!after.done) yield { ...after.value, change: order === 0 ? "still" : "new" };
    if (order <= 0) before = await old.next();
    if (order >= 0) after = await now.next();
  }
}

async function* distinct(findings: Findings): AsyncGenerator<Finding, void> {
  let last = "";
  for await (const finding of findings) {
    if (finding.id !== last) yield finding;
    last = finding.id;
  }
}
