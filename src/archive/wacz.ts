import { makeZip, predictLength } from "client-zip";
import { encodeText } from "./header-block.ts";
import { sha256Of, startSha256 } from "./sha256.ts";
import { labelledDigest } from "./warc-record.ts";
import { zipDate } from "./zip-date.ts";

/**
 * Writes a WACZ (https://specs.webrecorder.net/wacz/1.1.1/) as a stream: a ZIP with uncompressed entries, so that a
 * reader gets a record by a range of the file, and a list of its own contents. It keeps one chunk in memory, and some
 * 300 bytes for each part.
 *
 * The same parts and `info` give the same bytes, so that an interrupted transfer can continue.
 */

export interface WaczPart {
  /**
   * `archive/….warc.gz`, `indexes/index.cdx` or `indexes/index.cdx.gz` and `indexes/index.idx`, `pages/pages.jsonl`. No
   * two parts have the same last segment.
   */
  path: string;
  /** The exact size. The stream fails if the part has another. */
  bytes: number;
  /** In hex, if it is known. Otherwise it is computed while the part is written. */
  sha256?: string;
  open(): AsyncIterable<Uint8Array>;
}

interface WaczInfo {
  title: string;
  description?: string;
  /**
   * When the crawl was made (not this export, because the bytes depend on it), in milliseconds since the Unix epoch.
   * ZIP's range is 1980 to 2107.
   */
  created: number;
  /** Name and version. */
  software: string;
  /** The page that a reader opens first, with its WARC-Date in milliseconds. */
  mainPage?: { url: string; date: number };
}

interface Resource {
  name: string;
  path: string;
  hash: string;
  bytes: number;
}

interface ZipEntry {
  name: string;
  lastModified: Date;
  size?: number;
  input: Uint8Array | AsyncIterable<Uint8Array>;
}

const DATAPACKAGE = "datapackage.json";
const DIGEST = "datapackage-digest.json";
/** A placeholder of the same length for a digest not known yet. */
const NO_SHA256 = "0".repeat(64);

/** The exact size in bytes of what `writeWacz` will write, before it reads any part. */
export function waczBytes(parts: Iterable<Pick<WaczPart, "path" | "bytes">>, info: WaczInfo): number {
  const sized = Array.from(parts, ({ path, bytes }) => ({ path, bytes, hash: NO_SHA256 }));
  const datapackage = describeParts(sized.map(resourceOf), info);
  const entries = [
    ...sized.map(({ path, bytes }) => ({ name: path, size: bytes })),
    { name: DATAPACKAGE, size: datapackage.byteLength },
    { name: DIGEST, size: digestOf(NO_SHA256).byteLength },
  ];
  return Number(predictLength(entries));
}

/**
 * Writes the parts in their order, then their description, which needs their digests. Cancelling the stream also closes
 * the open part.
 */
export function writeWacz(parts: Iterable<WaczPart>, info: WaczInfo): ReadableStream<Uint8Array> {
  let open: AsyncGenerator<Uint8Array> | null = null;
  const zip = makeZip(
    entriesOf(parts, info, (part) => {
      open = part;
    }),
  ).getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await zip.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    // client-zip drops a part without closing it.
    cancel: async () => void (await open?.return(undefined)),
  });
}

async function* entriesOf(
  parts: Iterable<WaczPart>,
  info: WaczInfo,
  onOpen: (part: AsyncGenerator<Uint8Array>) => void,
): AsyncGenerator<ZipEntry> {
  const lastModified = zipDate(info.created);
  const resources: Resource[] = [];
  for (const part of parts) {
    const input = measurePart(part, resources);
    onOpen(input);
    yield { name: part.path, lastModified, size: part.bytes, input };
  }
  const datapackage = describeParts(resources, info);
  yield { name: DATAPACKAGE, lastModified, input: datapackage };
  yield { name: DIGEST, lastModified, input: digestOf(sha256Of(datapackage)) };
}

/** Passes the bytes of a part on, and adds the part to `resources` at its end. */
async function* measurePart(part: WaczPart, resources: Resource[]): AsyncGenerator<Uint8Array> {
  const hash = part.sha256 === undefined ? startSha256() : null;
  let bytes = 0;
  for await (const chunk of part.open()) {
    bytes += chunk.byteLength;
    hash?.update(chunk);
    // client-zip would treat an empty chunk as the end.
    if (chunk.byteLength > 0) yield chunk;
  }
  if (bytes !== part.bytes) throw new Error(`${part.path} has ${bytes} bytes instead of ${part.bytes}`);
  const sha256 = part.sha256 ?? hash?.digest() ?? NO_SHA256;
  resources.push(resourceOf({ path: part.path, bytes, hash: sha256 }));
}

/** Frictionless Data requires names in lower case (https://specs.frictionlessdata.io/data-resource/#name). */
function resourceOf({ path, bytes, hash }: { path: string; bytes: number; hash: string }): Resource {
  return { name: path.slice(path.lastIndexOf("/") + 1).toLowerCase(), path, hash: labelledDigest(hash), bytes };
}

function describeParts(resources: readonly Resource[], info: WaczInfo): Uint8Array<ArrayBuffer> {
  const { title, description, created, software, mainPage } = info;
  return encodeJson({
    profile: "data-package",
    wacz_version: "1.1.1",
    title,
    description,
    created: new Date(created).toISOString(),
    software,
    mainPageUrl: mainPage?.url,
    mainPageDate: mainPage && new Date(mainPage.date).toISOString(),
    resources,
  });
}

/** It has no signature: it proves that the file is complete, not who made it. */
function digestOf(sha256: string): Uint8Array<ArrayBuffer> {
  return encodeJson({ path: DATAPACKAGE, hash: labelledDigest(sha256) });
}

function encodeJson(value: unknown): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(encodeText(JSON.stringify(value, null, 2)));
}
