import type { PassObjects } from "../store/pass-objects.ts";
import type { PassOrder } from "./pass-run.ts";
import { HEAD_BYTES, type ResultHeader } from "./write-result.ts";

/** Reads the result of a pass by its sections. */

/** The header of two million URLs takes half of this. */
const FIRST_READ_BYTES = 65_536;

export class PassResult {
  readonly header: ResultHeader;
  readonly #order: PassOrder;
  readonly #objects: PassObjects;
  /** Where the sections begin in the object. */
  readonly #start: number;

  private constructor(order: PassOrder, objects: PassObjects, header: ResultHeader, start: number) {
    this.#order = order;
    this.#objects = objects;
    this.header = header;
    this.#start = start;
  }

  /** Throws if the pass has no result. */
  static async open(order: PassOrder, objects: PassObjects): Promise<PassResult> {
    const read = async (length: number) => {
      const object = await objects.result(order, { offset: 0, length });
      if (object === null) throw new Error(`the pass ${order.id} has no result`);
      return new Uint8Array(await object.arrayBuffer());
    };
    let bytes = await read(FIRST_READ_BYTES);
    const start = HEAD_BYTES + new DataView(bytes.buffer).getUint32(0, true);
    if (start > bytes.length) bytes = await read(start);
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(HEAD_BYTES, start))) as ResultHeader;
    return new PassResult(order, objects, header, start);
  }

  async bytes(section: string): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await new Response(await this.stream(section)).arrayBuffer());
  }

  async stream(section: string): Promise<ReadableStream<Uint8Array>> {
    const place = this.header.sections[section];
    // R2 refuses an empty range.
    if (place?.length === 0) return new Blob([]).stream();
    const range = place === undefined ? null : { offset: this.#start + place.offset, length: place.length };
    const object = range === null ? null : await this.#objects.result(this.#order, range);
    if (object !== null) return object.body;
    throw new Error(`the result of the pass ${this.#order.id} has no section ${section}`);
  }
}
