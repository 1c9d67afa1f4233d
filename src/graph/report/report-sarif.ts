import { FINDING_KINDS, type FindingKind, type Severity } from "../problems/finding.ts";
import { listCounts, type WriteReport } from "./report.ts";
import { describeInLine } from "./report-line.ts";

/**
 * The report as SARIF 2.1.0, which code hosts show as alerts. A rule for each kind; the location is the page. What was
 * mended is `absent`. https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
const LEVELS: Record<Severity, string> = { error: "error", warning: "warning", notice: "note" };
const BASELINES = { new: "new", still: "unchanged", mended: "absent" } as const;

export const writeSarifReport: WriteReport = async function* (head, findings) {
  const rules = listCounts(head).map(({ kind }) => toRule(kind));
  const driver = { name: "Orbweaver", rules };
  const notices = head.leftOut.map((text) => ({ level: "note", message: { text } }));
  const run = {
    tool: { driver },
    invocations: [{ executionSuccessful: true, endTimeUtc: head.finishedAt, toolExecutionNotifications: notices }],
  };
  const schema = "https://json.schemastore.org/sarif-2.1.0.json";
  yield `{"$schema":"${schema}","version":"2.1.0","runs":[${JSON.stringify(run).slice(0, -1)},"results":[`;
  let separator = "\n";
  for await (const finding of findings) {
    const { id, kind, page, change } = finding;
    const result = {
      ruleId: kind,
      level: LEVELS[FINDING_KINDS[kind][0]],
      message: { text: describeInLine(finding) },
      locations: [{ physicalLocation: { artifactLocation: { uri: page } } }],
      partialFingerprints: { findingId: id },
      ...(head.comparedWith === null ? {} : { baselineState: BASELINES[change] }),
    };
    yield separator + JSON.stringify(result);
    separator = ",\n";
  }
  yield "\n]}]}\n";
};

function toRule(kind: FindingKind) {
  const [severity, title, explanation, mend] = FINDING_KINDS[kind];
  return {
    id: kind,
    name: title,
    shortDescription: { text: explanation },
    help: { text: mend },
    defaultConfiguration: { level: LEVELS[severity] },
  };
}
