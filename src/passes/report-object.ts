import type { ComparedFinding } from "../graph/compare-findings.ts";
import { FINDING_KINDS, type FindingKind } from "../graph/finding.ts";
import type { ReportHead } from "../graph/report.ts";

/**
 * The report of a pass: one object that is read by ranges. It begins with the length of its header in four bytes,
 * little-endian; then come the header in JSON, and the findings by kind, a line of JSON each, in the order of
 * `orderFindings`.
 */

/** The bytes before the header: its length. */
const HEAD_BYTES = 4;
/** Bytes of a read: some 200 findings. */
const CHUNK_BYTES = 65_536;
const NEWLINE = 10;

export interface ReportHeader extends Omit<ReportHead, "site" | "crawl" | "finishedAt"> {
  /** Where the findings of each kind are, in bytes after the header. */
  sections: Partial<Record<FindingKind, Section>>;
}

interface Section {
  offset: number;
  length: number;
}

/** Reads bytes of an object. */
export type ReadBytes = (offset: number, length: number) => Promise<Uint8Array>;

export function encodeHeader(header: ReportHeader): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const head = new Uint8Array(HEAD_BYTES + json.length);
  new DataView(head.buffer).setUint32(0, json.length, true);
  head.set(json, HEAD_BYTES);
  return head;
}

/** An open report. */
export interface ReportFile {
  header: ReportHeader;
  read: ReadBytes;
  /** Where the sections begin. */
  start: number;
}

export async function openReport(read: ReadBytes): Promise<ReportFile> {
  const length = new DataView((await read(0, HEAD_BYTES)).slice().buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(await read(HEAD_BYTES, length))) as ReportHeader;
  return { header, read, start: HEAD_BYTES + length };
}

/**
 * The findings of one kind from a place on, in bytes of its section: 0, or the `end` of a finding before. Throws
 * SyntaxError if no finding begins there.
 */
export async function* readKind(
  { header, read, start }: ReportFile,
  kind: FindingKind,
  from = 0,
): AsyncGenerator<{ finding: ComparedFinding; end: number }, void> {
  const section = header.sections[kind];
  if (section === undefined) return;
  const { offset, length } = section;
  let end = from;
  for await (const line of readLines(read, start + offset + from, length - from)) {
    end += line.length + 1;
    yield { finding: JSON.parse(new TextDecoder().decode(line)) as ComparedFinding, end };
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
export async function* readLines(read: ReadBytes, offset: number, length: number): AsyncGenerator<Uint8Array, void> {
  let rest = new Uint8Array();
  for (let at = 0; at < length; at += CHUNK_BYTES) {
    const bytes = Buffer.concat([rest, await read(offset + at, Math.min(CHUNK_BYTES, length - at))]);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; start = end + 1, end = bytes.indexOf(NEWLINE, start))
      yield bytes.subarray(start, end);
    rest = new Uint8Array(bytes.subarray(start));
  }
}
