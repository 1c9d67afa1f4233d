import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { joinBytes } from "../../src/core/join-bytes.ts";
import { streamBody } from "../../src/fetch/transport/stream-body.ts";

/** A body is read as a stream in any chunks, as a network divides it. */

const TEXT = new TextEncoder().encode("https://a.test/1\nhttps://a.test/2\n");
const live = new AbortController().signal;

/** A response whose body comes in chunks of these lengths, and the rest in one. */
function inChunks(bytes: Uint8Array, lengths: readonly number[], coding: string | null): Response {
  let at = 0;
  const chunks = [...lengths, bytes.length].map((length) => {
    at += length;
    return bytes.slice(at - length, at);
  });
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return new Response(body, { headers: coding === null ? {} : { "content-encoding": coding } });
}

async function read(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of streamBody(response, live, { maxBytes: 1_000_000 })) chunks.push(chunk);
  return joinBytes(chunks);
}

test.each<[name: string, sent: Uint8Array, coding: string | null]>([
  ["a gzip file", gzipSync(TEXT), null],
  ["a body in gzip", gzipSync(TEXT), "gzip"],
  ["a gzip file in gzip", gzipSync(gzipSync(TEXT)), "gzip"],
  ["a body that is only called gzip", TEXT, "gzip"],
  ["a body in zlib's deflate", deflateSync(TEXT), "deflate"],
  ["a body in bare deflate", deflateRawSync(TEXT), "deflate"],
  ["a body without a coding", TEXT, null],
])("%s is read the same, whatever chunks it comes in", async (_, sent, coding) => {
  const lengths = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 6 });
  const each = fc.asyncProperty(lengths, async (chunks) => {
    expect(await read(inChunks(sent, chunks, coding))).toEqual(TEXT);
  });
  await fc.assert(each, { examples: [[[1]], [[0]], [[0, 1]], [[2]]] });
});

test.each([0, 1])("a body of %i bytes is read", async (length) => {
  for (const coding of [null, "gzip"])
    expect(await read(inChunks(TEXT.slice(0, length), [], coding))).toHaveLength(length);
});
