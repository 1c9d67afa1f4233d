import { expect, test } from "vitest";
import { eventData } from "../../../src/cli/output/event-stream.ts";

/** The data of an event stream, wherever it is cut. */

const CASES: [stream: string, data: string[]][] = [
  ["", []],
  ["data: one\n\n", ["one"]],
  ["event: message\ndata: one\n\ndata:two\n\n", ["one", "two"]],
  ["data: one\r\n\r\n: a comment\n\ndata: a\ndata: b\n\n", ["one", "a\nb"]],
  ["id: 1\ndata: \n\ndata: é😀\n\n", ["", "é😀"]],
  // An event without its blank line is not complete.
  ["data: one\n\ndata: cut", ["one"]],
];

/** The bytes in chunks of this size. */
function streamOf(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
      controller.close();
    },
  });
}

test.each(CASES)("%j", async (stream, data) => {
  for (const size of [1, 3, 1_000]) {
    const read: string[] = [];
    for await (const each of eventData(streamOf(new TextEncoder().encode(stream), size))) read.push(each);
    expect([size, read]).toEqual([size, data]);
  }
});
