/** Puts an object into R2 piece by piece. R2 takes a stream only if its length is known before. */

/**
 * `put`: takes the stream. Throws what the source or `put` throws, whichever failed first; the object is not written
 * then. The source must have exactly `length` bytes.
 */
export async function putStream(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  length: number,
  put: (stream: ReadableStream) => Promise<void>,
): Promise<void> {
  const { readable, writable } = new FixedLengthStream(length);
  const writer = writable.getWriter();
  const putting = put(readable);
  let first: { error: unknown } | null = null;
  putting.catch((error: unknown) => {
    first ??= { error };
  });
  // When one of both fails, it ends the other, which then fails with words of its own.
  const watched = watch(source, (error) => {
    first ??= { error };
  });
  try {
    for await (const piece of watched) await writer.write(piece);
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    await putting.catch(() => undefined);
    throw first === null ? error : (first as { error: unknown }).error;
  }
  await putting;
}

/** The source, with a call for the error that ends it. */
export async function* watch<T>(
  source: Iterable<T> | AsyncIterable<T>,
  onError: (error: unknown) => void,
): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (error) {
    onError(error);
    throw error;
  }
}
