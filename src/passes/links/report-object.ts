import type { ComparedFinding } from "../../graph/problems/compare-findings.ts";
import { FINDING_KINDS, type Finding, type FindingKind } from "../../graph/problems/finding.ts";
import type { ReportHead } from "../../graph/report/report.ts";
import type { PassObjects } from "../../store/passes/pass-objects.ts";
import type { PassOrder } from "../pass-run.ts";
import { SectionedObject } from "../sectioned-object.ts";

/**
 * The report of a pass. Its sections are the findings by kind: a line of JSON each, in the order of `orderFindings`.
 */

/** Bytes of a read: some 200 findings. */
const CHUNK_BYTES = 65_536;
const NEWLINE = 10;

export type ReportFacts = Omit<ReportHead, "site" | "crawl" | "finishedAt">;

export type ReportFile = SectionedObject<
  ReportFacts & { sections: Partial<Record<FindingKind, { offset: number; length: number }>> }
>;

/** Null if the pass has none. */
export async function openReport(order: PassOrder, objects: PassObjects): Promise<ReportFile | null> {
  return SectionedObject.open<ReportFile["header"]>("report", order, objects);
}

/**
 * The findings of one kind from a place on, in bytes of its section: 0, or the `end` of a finding before. Throws
 * SyntaxError if no finding begins there.
 */
export async function* readKind(
  file: ReportFile,
  kind: FindingKind,
  from = 0,
): AsyncGenerator<{ finding: ComparedFinding; end: number }, void> {
  const section = file.header.sections[kind];
  if (section === undefined) return;
  const read = (offset: number, length: number) => file.range(section, offset, length);
  let end = from;
  for await (const line of readLines(read, from, section.length - from)) {
    end += line.length + 1;
    yield { finding: toFinding(JSON.parse(new TextDecoder().decode(line)) as StoredFinding), end };
  }
}

/** Earlier versions stored `same`. */
type StoredFinding = Finding & { change: ComparedFinding["change"] | "same" };

function toFinding({ change, ...finding }: StoredFinding): ComparedFinding {
  return { ...finding, change: change === "same" ? "still" : change };
}

/** What the pass found of a kind, without what it saw mended. */
export async function* readFound(file: ReportFile, kind: FindingKind): AsyncGenerator<Finding, void> {
  for await (const { finding } of readKind(file, kind)) {
    const { change, ...found } = finding;
    if (change !== "mended") yield found;
  }
}

/** All findings, or those of some kinds. */
export async function* readAll(
  file: ReportFile,
  kinds: readonly FindingKind[] = Object.keys(FINDING_KINDS) as FindingKind[],
): AsyncGenerator<ComparedFinding, void> {
  for (const kind of kinds) for await (const { finding } of readKind(file, kind)) yield finding;
}

/** The lines of a range without their ends, one chunk in memory at a time. */
export async function* readLines(
  read: (offset: number, length: number) => Promise<Uint8Array>,
  offset: number,
  length: number,
): AsyncGenerator<Uint8Array, void> {
  let rest = new Uint8Array();
  for (let at = 0; at < length; at += CHUNK_BYTES) {
    const bytes = Buffer.concat([rest, await read(offset + at, Math.min(CHUNK_BYTES, length - at))]);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; start = end + 1, end = bytes.indexOf(NEWLINE, start))
      yield bytes.subarray(start, end);
    rest = new Uint8Array(bytes.subarray(start));
  }
}
