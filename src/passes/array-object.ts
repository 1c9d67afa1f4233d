/** Arrays of numbers as one object: their number, their lengths in bytes, and each from a multiple of eight on. */

type Numbers = Uint8Array | Uint16Array | Uint32Array;

const ALIGNMENT = 8;

export function packArrays(arrays: readonly Numbers[]): Uint8Array {
  const head = Uint32Array.of(arrays.length, ...arrays.map(({ byteLength }) => byteLength));
  const bytes = new Uint8Array([head, ...arrays].reduce((sum, { byteLength }) => sum + align(byteLength), 0));
  let offset = 0;
  for (const { buffer, byteOffset, byteLength } of [head, ...arrays]) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), offset);
    offset += align(byteLength);
  }
  return bytes;
}

/** The bytes of each array, which other arrays can be laid over. */
export function unpackArrays(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const count = new Uint32Array(bytes.buffer, 0, 1)[0] ?? 0;
  const lengths = new Uint32Array(bytes.buffer, 4, count);
  let offset = align(4 + 4 * count);
  return Array.from(lengths, (length) => {
    const array = new Uint8Array(bytes.buffer, offset, length);
    offset += align(length);
    return array;
  });
}

export function toUint32s({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

export function toUint16s({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Uint16Array<ArrayBuffer> {
  return new Uint16Array(buffer, byteOffset, byteLength / 2);
}

function align(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}
