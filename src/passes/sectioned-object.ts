import type { Joined, PassObjects } from "../store/passes/pass-objects.ts";
import type { PassOrder } from "./pass-run.ts";

/**
 * The result and the report of a pass: objects that are read by ranges. Each begins with the length of its header in
 * four bytes, little-endian; then come the header in JSON, and the sections.
 */

const LENGTH_BYTES = 4;
/** The header of two million URLs takes half of this. */
const FIRST_READ_BYTES = 65_536;

/** Where a section is, in bytes after the header. */
interface Section {
  offset: number;
  length: number;
}

interface Header {
  sections: Partial<Record<string, Section>>;
}

/** Writes an object whose sections are joined of objects that steps wrote. The same parts give the same bytes. */
export async function writeSections<Facts extends object>(
  joined: Joined,
  sections: readonly (readonly [name: string, parts: readonly string[]])[],
  facts: Facts,
  order: PassOrder,
  objects: PassObjects,
): Promise<void> {
  const placed: Record<string, Section> = {};
  const parts: { name: string; length: number }[] = [];
  let end = 0;
  for (const [section, names] of sections) {
    const offset = end;
    for (const name of names) {
      const length = await objects.size(order, name);
      parts.push({ name, length });
      end += length;
    }
    placed[section] = { offset, length: end - offset };
  }
  const header = Buffer.from(JSON.stringify({ ...facts, sections: placed }));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(header.length);
  await objects.join(order, joined, Buffer.concat([length, header]), parts);
}

/** Throws if the pass has no result. */
export async function openResult(order: PassOrder, objects: PassObjects): Promise<PassResult> {
  const result = await SectionedObject.open<ResultFacts & Header>("result", order, objects);
  if (result === null) throw new Error(`the pass ${order.id} has no result`);
  return result;
}

export interface ResultFacts {
  rows: number;
  nodesPerBucket: number;
  rowsPerRange: number;
}

export type PassResult = SectionedObject<ResultFacts & Header>;

export class SectionedObject<Head extends Header> {
  readonly header: Head;
  readonly #read: (offset: number, length: number) => Promise<R2ObjectBody>;
  /** Where the sections begin in the object. */
  readonly #start: number;

  private constructor(header: Head, read: (offset: number, length: number) => Promise<R2ObjectBody>, start: number) {
    this.header = header;
    this.#read = read;
    this.#start = start;
  }

  /** Null if the pass has no such object. */
  static async open<Head extends Header>(
    joined: Joined,
    order: PassOrder,
    objects: PassObjects,
  ): Promise<SectionedObject<Head> | null> {
    const first = await objects.joined(order, joined, { offset: 0, length: FIRST_READ_BYTES });
    if (first === null) return null;
    const read = async (offset: number, length: number) => {
      const object = await objects.joined(order, joined, { offset, length });
      if (object === null) throw new Error(`the ${joined} is gone: a later analysis has replaced it`);
      return object;
    };
    let bytes = Buffer.from(await first.arrayBuffer());
    const start = LENGTH_BYTES + bytes.readUInt32LE();
    if (start > bytes.length) bytes = Buffer.from(await (await read(0, start)).arrayBuffer());
    return new SectionedObject<Head>(JSON.parse(bytes.toString("utf8", LENGTH_BYTES, start)) as Head, read, start);
  }

  async bytes(section: string): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await new Response(await this.stream(section)).arrayBuffer());
  }

  async stream(section: string): Promise<ReadableStream<Uint8Array>> {
    const place = this.header.sections[section];
    if (place === undefined) throw new Error(`the object has no section ${section}`);
    // R2 refuses an empty range.
    if (place.length === 0) return new Blob([]).stream();
    return (await this.#read(this.#start + place.offset, place.length)).body;
  }

  /** Bytes of a section from a place in it on. */
  async range(section: Section, from: number, length: number): Promise<Uint8Array> {
    const object = await this.#read(this.#start + section.offset + from, length);
    return new Uint8Array(await object.arrayBuffer());
  }
}
