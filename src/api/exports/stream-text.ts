import { logError } from "../../core/log.ts";
import { streamOf } from "../../core/stream-of.ts";

/** Streams the texts of an export. */

/** Minimum size of a chunk, in characters: a chunk for each record would cost more than the record. */
const CHUNK_LENGTH = 65_536;

/** An error in the middle breaks the answer off: the status has been sent already, so the client sees only that. */
export function streamText(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  return streamOf(encode(texts));
}

async function* encode(texts: AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = "";
  try {
    for await (const more of texts) {
      text += more;
      if (text.length < CHUNK_LENGTH) continue;
      yield encoder.encode(text);
      text = "";
    }
  } catch (error) {
    logError("export-failed", error);
    throw error;
  }
  if (text !== "") yield encoder.encode(text);
}
