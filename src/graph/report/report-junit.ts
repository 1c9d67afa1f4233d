import { escapeAttribute } from "../../media/html/tree/write-html.ts";
import { FINDING_KINDS, type FindingKind } from "../problems/finding.ts";
import { listCounts, type WriteReport } from "./report.ts";
import { describeInLine } from "./report-line.ts";

/**
 * The report as JUnit XML, which CI systems show: a suite for each kind, and a case for each finding. Errors and
 * warnings fail; notices, and what was mended, are cases that pass. The output of a case says whether it is new. All
 * attributes that Jenkins requires are there: https://llg.cubic.org/docs/junit/
 * https://github.com/jenkinsci/xunit-plugin/blob/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd
 */
export const writeJunitReport: WriteReport = async function* (head, findings) {
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${quote(`Site report: ${head.site}`)}">\n`;
  if (head.leftOut.length > 0) {
    yield `<testsuite name="not-judged" tests="${head.leftOut.length}" failures="0" errors="0" skipped="${head.leftOut.length}">\n`;
    for (const sentence of head.leftOut)
      yield `<testcase name="${quote(sentence)}" classname="not-judged"><skipped/></testcase>\n`;
    yield "</testsuite>\n";
  }
  const counts = new Map(listCounts(head).map((count) => [count.kind, count]));
  let open: FindingKind | null = null;
  for await (const finding of findings) {
    const { kind, change } = finding;
    const [severity, title, , mend] = FINDING_KINDS[kind];
    if (kind !== open) {
      if (open !== null) yield "</testsuite>\n";
      open = kind;
      const { found = 0, mended = 0 } = counts.get(kind) ?? {};
      const failures = severity === "notice" ? 0 : found;
      yield `<testsuite name="${quote(title)}" tests="${found + mended}" failures="${failures}" errors="0">\n`;
    }
    const isFailure = severity !== "notice" && change !== "mended";
    yield `<testcase name="${quote(describeInLine(finding))}" classname="${kind}">`;
    if (isFailure) yield `<failure type="${severity}" message="${quote(title)}">${quote(mend)}</failure>`;
    yield `<system-out>${change}</system-out></testcase>\n`;
  }
  if (open !== null) yield "</testsuite>\n";
  yield "</testsuites>\n";
};

/** XML has no way to write most control characters, nor half of a surrogate pair. */
function quote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
  return escapeAttribute(text.toWellFormed().replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "\ufffd")).replaceAll(
    "&nbsp;",
    "&#160;",
  );
}
