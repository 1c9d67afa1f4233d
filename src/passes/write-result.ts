import { type Listed, ROWS_PER_RANGE } from "./list-rows.ts";
import type { PassDeps, PassOrder, PassRun } from "./pass-run.ts";
import { type LinkRuns, NODES_PER_BUCKET } from "./read-links.ts";
import { countBuckets } from "./turn-links.ts";

/**
 * Writes the result of a pass: one object that is read by ranges. It begins with the length of its header in four
 * bytes, little-endian; then come the header in JSON, and the sections. A section is the object of that name that a
 * step wrote. The same rows and links give the same bytes.
 */

/** The bytes before the header: its length. */
export const HEAD_BYTES = 4;

/** Where a section is, in bytes after the header. */
export interface Section {
  offset: number;
  length: number;
}

export interface ResultHeader {
  rows: number;
  nodesPerBucket: number;
  rowsPerRange: number;
  sections: Record<string, Section>;
}

export const RESULT_STEPS = 1;

export async function writeResult(run: PassRun, listed: Listed, links: LinkRuns): Promise<void> {
  await run.step("result", "Writing the result", (deps, order) => joinObjects(listed, links, deps, order));
}

async function joinObjects(listed: Listed, { runs }: LinkRuns, { passObjects }: PassDeps, order: PassOrder) {
  const buckets = countBuckets(listed);
  const names = [
    "index",
    "members",
    "sections",
    "repeated",
    ...(listed.rows === 0 ? [] : ["ranks"]),
    ...numbered("in-counts", buckets),
    ...numbered("rows", listed.ranges),
    ...numbered("in-links", buckets),
    ...numbered("edges", runs),
  ];
  const sections: Record<string, Section> = {};
  const parts: { name: string; length: number }[] = [];
  let offset = 0;
  for (const name of names) {
    const length = await passObjects.size(order, name);
    sections[name] = { offset, length };
    parts.push({ name, length });
    offset += length;
  }
  const facts: ResultHeader = {
    rows: listed.rows,
    nodesPerBucket: NODES_PER_BUCKET,
    rowsPerRange: ROWS_PER_RANGE,
    sections,
  };
  const header = new TextEncoder().encode(JSON.stringify(facts));
  const head = new Uint8Array(HEAD_BYTES + header.length);
  new DataView(head.buffer).setUint32(0, header.length, true);
  head.set(header, HEAD_BYTES);
  await passObjects.putResult(order, head, parts);
  return null;
}

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${name}-${i}`);
}
