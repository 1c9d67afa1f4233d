import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { errorCode } from "../errors.ts";
import { printable } from "./terminal-text.ts";

/** Standard output: a terminal, or a reader that may stop reading. */
export type Output = Writable & { isTTY?: boolean };

/** Writes at the reader's speed. A reader that closes the pipe (`| head`) ends it without an error. */
export async function pour(bytes: AsyncIterable<Uint8Array>, out: Output, signal?: AbortSignal): Promise<void> {
  try {
    await pipeline(out.isTTY ? toPrintable(bytes) : bytes, out, {
      end: false,
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (errorCode(error) !== "EPIPE") throw error;
  }
}

/** Titles and texts come from crawled pages, and may contain control sequences for the terminal. */
async function* toPrintable(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const clean = (text: string) => printable(text.replaceAll("\r\n", "\n"));
  let held = "";
  for await (const chunk of bytes) {
    const text = held + decoder.decode(chunk, { stream: true });
    // A chunk may end between the \r and the \n of a line ending.
    held = text.endsWith("\r") ? "\r" : "";
    yield clean(text.slice(0, text.length - held.length));
  }
  yield clean(held + decoder.decode());
}
