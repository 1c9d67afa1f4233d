import type { Kind } from "./kinds.ts";

/**
 * How much memory a page takes while it is read, as far as its size tells. What weighs much is read by the reader
 * Worker, whatever its kind (docs/architecture.md, "Documents").
 */

/**
 * A page of so many bytes that is not parsed takes up to 35 MB, mostly for its formats. Those of 10 MB take the 128 MB
 * of an isolate, which others need at the same time: docs/measurements.md.
 */
const MAX_BYTES = 1_048_576;
/** Tags of HTML and feeds, or cells of CSV. Each takes 200 to 400 bytes of trees. */
const MAX_MARKS = 50_000;

/** Whether a page of this kind is too heavy for the Worker that serves everything else. */
export function weighsMuch(bytes: Uint8Array, { marks = "" }: Pick<Kind, "marks">): boolean {
  return bytes.byteLength > MAX_BYTES || countsMore(bytes, marks);
}

function countsMore(bytes: Uint8Array, marks: string): boolean {
  if (bytes.byteLength <= MAX_MARKS) return false;
  let count = 0;
  for (const mark of marks) {
    const byte = mark.charCodeAt(0);
    for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) {
      count += 1;
      if (count > MAX_MARKS) return true;
    }
  }
  return false;
}
