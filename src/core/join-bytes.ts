/** Copies the pieces to one array, up to `length` bytes; absent: all. The array owns its buffer. */
export function joinBytes(
  pieces: readonly Uint8Array[],
  length = pieces.reduce((sum, piece) => sum + piece.byteLength, 0),
): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    const part = piece.subarray(0, length - at);
    joined.set(part, at);
    at += part.byteLength;
  }
  return joined;
}
