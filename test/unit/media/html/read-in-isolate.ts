import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import type { DocumentRequest } from "../../../../src/media/document.ts";
import { readHtml } from "../../../../src/media/html/tree/read-html.ts";

/** Reads pages in an isolate that has as much memory as one of workerd. */

const MEMORY_MB = 128;

interface Reading {
  starts: readonly string[];
  rest: string;
  request: Partial<DocumentRequest>;
}

const REQUEST: DocumentRequest = {
  agent: "orbweaver",
  scriptLinks: false,
  requisites: false,
  formats: ["html", "markdown", "text"],
  obeyNoindex: true,
};

/**
 * Reads one page after the other: each is one of `starts`, and then `rest`. Returns the length of the last page's
 * text. Rejects if the memory is not enough.
 */
export function readInIsolate(
  starts: readonly string[],
  rest: string,
  request: Partial<DocumentRequest> = {},
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const reading: Reading = { starts, rest, request };
  const worker = new Worker(new URL(import.meta.url), {
    workerData: reading,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  worker.once("message", resolve);
  worker.once("error", reject);
  return promise.finally(() => worker.terminate());
}

function read({ starts, rest, request }: Reading): number {
  let length = 0;
  for (const start of starts) {
    const source = { url: "https://example.com/dir/", contentType: "text/html" };
    const { content } = readHtml(new TextEncoder().encode(start + rest), source, { ...REQUEST, ...request });
    length = content?.text?.length ?? 0;
  }
  return length;
}

if (!isMainThread && workerData !== null && typeof workerData === "object" && "starts" in workerData)
  parentPort?.postMessage(read(workerData as Reading));
