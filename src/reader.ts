import { frame, type ReaderAnswer, type ReaderOrder, unframe } from "./fetch/reading/call-reader.ts";
import { readContent, readPage, readVersion } from "./fetch/reading/read-page.ts";
import { ASKS_NOTHING } from "./fetch/request/page-request.ts";
import { loadAnyReader } from "./media/heavy-readers.ts";

/**
 * The reader Worker: reads documents that weigh much or may misbehave. It has no bindings and sends no requests, so
 * nothing in a document can reach anything. What ends it costs the document that it reads.
 */

export default {
  async fetch(request) {
    const { head: order, parts } = unframe<ReaderOrder>(new Uint8Array(await request.arrayBuffer()));
    const [body = new Uint8Array(0)] = parts;
    const { answer, bytes } = await read(order, body).catch((error: unknown) => unreadable(error));
    return new Response(new Blob(frame(answer, bytes) as Uint8Array<ArrayBuffer>[]).stream());
  },
} satisfies ExportedHandler;

interface Read {
  answer: ReaderAnswer;
  bytes: Uint8Array[];
}

async function read(order: ReaderOrder, body: Uint8Array): Promise<Read> {
  const { contentType, headers } = order;
  const stored = { body, contentType: contentType ?? "", headers, httpStatus: 200 };
  switch (order.task) {
    case "page": {
      const { request, httpStatus, durationMs, now } = order;
      const received = { body, contentType, headers, httpStatus };
      // A main Worker of an older version does not send all fields.
      const page = await readPage(received, { ...ASKS_NOTHING, ...request }, durationMs, now, loadAnyReader);
      if (page.kind === "rejected") return { answer: { task: "page", page, has: [] }, bytes: [] };
      const { body: _, content, pageLinks, ...others } = page;
      const named = Object.entries({ content, pageLinks }).flatMap(([name, part]) => (part ? [{ name, part }] : []));
      const has = named.map(({ name }) => name as "content" | "pageLinks");
      return { answer: { task: "page", page: others, has }, bytes: named.map(({ part }) => part) };
    }
    case "content":
      return { answer: { task: "content" }, bytes: [await readContent(stored, order.request, loadAnyReader)] };
    case "version":
      return {
        answer: { task: "version", version: await readVersion(stored, order.request, loadAnyReader) },
        bytes: [],
      };
  }
}

function unreadable(error: unknown): Read {
  return { answer: { task: "unreadable", why: error instanceof Error ? error.message : String(error) }, bytes: [] };
}
