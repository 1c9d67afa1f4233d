import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { readCsv } from "../../src/media/csv/read-csv.ts";
import { readJson, readXml } from "../../src/media/data/read-data.ts";
import { readEpub } from "../../src/media/epub/read-epub.ts";
import { readFeed } from "../../src/media/feed/read-feed.ts";
import { readOffice } from "../../src/media/office/read-office.ts";
import { readText } from "../../src/media/text/read-text.ts";
import { readMade } from "./read-made.ts";

/** Reads a document in an isolate that has as much memory as one of workerd, the document's own bytes included. */

const MEMORY_MB = 128;
/** As a crawl asks for it. */
const MAX_CONTENT = 16 * 1_048_576;
const READERS = {
  ...{ office: readOffice, epub: readEpub, csv: readCsv },
  ...{ json: readJson, xml: readXml, text: readText, feed: readFeed },
};

interface Reading {
  bytes: Uint8Array;
  reader: keyof typeof READERS;
}

export interface LargeReading {
  characters: number;
  truncated: string | null;
  cpuMs: number;
}

/** Rejects if the memory is not enough. */
export function readInIsolate(reader: keyof typeof READERS, bytes: Uint8Array): Promise<LargeReading> {
  const { promise, resolve, reject } = Promise.withResolvers<LargeReading>();
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { bytes, reader } satisfies Reading,
    // The heap's limit leaves buffers out.
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB - Math.ceil(bytes.length / 1_000_000) },
  });
  worker.once("message", resolve);
  worker.once("error", reject);
  return promise.finally(() => worker.terminate());
}

async function read({ bytes, reader }: Reading): Promise<LargeReading> {
  const before = process.threadCpuUsage();
  const { content, leftOut } = await readMade(READERS[reader], bytes, null, { mostCharacters: MAX_CONTENT });
  const { user, system } = process.threadCpuUsage(before);
  return {
    characters: content?.text?.length ?? 0,
    truncated: leftOut.truncated,
    cpuMs: (user + system) / 1_000,
  };
}

if (!isMainThread && workerData !== null && typeof workerData === "object" && "reader" in workerData)
  parentPort?.postMessage(await read(workerData as Reading));
