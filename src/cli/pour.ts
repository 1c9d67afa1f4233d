import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { printable } from "./terminal-text.ts";

/** The standard output, which may be a screen, or a reader that has enough. */
export type Output = Writable & { isTTY?: boolean };

/** Writes as fast as it is taken. A reader that goes away (`| head`) has what it wanted: that ends it, and is no failure. */
export async function pour(bytes: AsyncIterable<Uint8Array>, out: Output, signal?: AbortSignal): Promise<void> {
  try {
    await pipeline(out.isTTY ? onScreen(bytes) : bytes, out, {
      end: false,
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
}

/** Titles and texts are strangers' words, and a screen obeys some of them. */
async function* onScreen(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const clean = (text: string) => printable(text.replaceAll("\r\n", "\n"));
  let held = "";
  for await (const chunk of bytes) {
    const text = held + decoder.decode(chunk, { stream: true });
    // The two characters of a line's end may be cut apart.
    held = text.endsWith("\r") ? "\r" : "";
    yield clean(text.slice(0, text.length - held.length));
  }
  yield clean(held + decoder.decode());
}
