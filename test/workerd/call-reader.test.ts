import { expect, test } from "vitest";
import { joinBytes } from "../../src/core/join-bytes.ts";
import {
  callReader,
  frame,
  type ReaderAnswer,
  ReaderDied,
  type ReaderOrder,
  unframe,
} from "../../src/fetch/reading/call-reader.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);
const ORDER: ReaderOrder = {
  task: "content",
  contentType: "application/pdf",
  headers: [["x-name", "ä – 漢"]],
  request: { url: "https://a.test/", agent: "test", scriptLinks: false, preferMarkdown: false, parts: ["text"] },
};

function readerOf(answer: (order: ReaderOrder, document: Uint8Array) => Response): Fetcher {
  const fetch = async (_: string, { body }: { body: ReadableStream }) => {
    const { head, parts } = unframe<ReaderOrder>(new Uint8Array(await new Response(body).arrayBuffer()));
    return answer(head, parts[0] ?? bytes());
  };
  return { fetch } as unknown as Fetcher;
}
const answered = (answer: ReaderAnswer, ...parts: Uint8Array[]) => new Response(joinBytes(frame(answer, parts)));

test("the order, the document and the answer arrive as they were sent", async () => {
  const reader = readerOf((order, document) => {
    expect([order, document]).toEqual([ORDER, bytes(1, 2, 3)]);
    return answered({ task: "content" }, bytes(), bytes(7, 8));
  });
  expect(await callReader(reader, ORDER, bytes(1, 2, 3))).toEqual({
    answer: { task: "content" },
    parts: [bytes(), bytes(7, 8)],
  });
});

test("a reader that ended is told apart from a document that cannot be read", async () => {
  const ended = readerOf(() => new Response("it did not end within 60 s", { status: 503 }));
  await expect(callReader(ended, ORDER, bytes())).rejects.toThrow(new ReaderDied("it did not end within 60 s"));
  const broken = { fetch: () => Promise.reject(new Error("Worker exceeded memory limit.")) } as unknown as Fetcher;
  await expect(callReader(broken, ORDER, bytes())).rejects.toThrow(ReaderDied);
  const refusing = readerOf(() => answered({ task: "unreadable", why: "a password" }));
  const problem = await callReader(refusing, ORDER, bytes()).catch((error: unknown) => error);
  expect(problem).not.toBeInstanceOf(ReaderDied);
  expect(problem).toMatchObject({ message: "a password" });
});
