/** Puts an object into R2 piece by piece. R2 takes a stream only if its length is known before. */

/**
 * `put`: takes the stream. Throws what the source or `put` throws; the object is not written then. The source must have
 * exactly `length` bytes.
 */
export async function putStream(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  length: number,
  put: (stream: ReadableStream) => Promise<void>,
): Promise<void> {
  const { readable, writable } = new FixedLengthStream(length);
  const writer = writable.getWriter();
  const putting = put(readable);
  // A put that fails cancels the stream, so the next write fails too. The first error is the one to throw.
  let failure: unknown;
  putting.catch((error: unknown) => {
    failure ??= error;
  });
  try {
    for await (const piece of source) await writer.write(piece);
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    await putting.catch(() => undefined);
    throw failure ?? error;
  }
  await putting;
}
