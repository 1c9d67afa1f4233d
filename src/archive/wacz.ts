import { makeZip, predictLength } from "client-zip";
import { encodeText } from "./header-block.ts";
import { sha256Of, startSha256 } from "./sha256.ts";
import { labelledDigest } from "./warc-record.ts";

/**
 * A WACZ (https://specs.webrecorder.net/wacz/1.1.1/) as a stream: a ZIP whose entries are stored, so that a reader gets a record by range
 * out of the whole, and which says of itself what is in it. In memory is a chunk at a time, and some 300 bytes for each part.
 *
 * The same parts and the same `info` make the same bytes, so that a transfer that broke off can go on where it ended.
 */

export interface WaczPart {
  /** `archive/….warc.gz`, `indexes/index.cdx` or `indexes/index.cdx.gz` and `indexes/index.idx`, `pages/pages.jsonl`. The last name in it is its own alone. */
  path: string;
  /** Exactly; the stream fails where it is not. */
  bytes: number;
  /** Hex, where it is known; else it is reckoned while the part goes by. */
  sha256?: string;
  open(): AsyncIterable<Uint8Array>;
}

export interface WaczInfo {
  title: string;
  description?: string;
  /** In milliseconds; of the crawl, not of this export, for all of its bytes depend on it. From 1980 to 2107, ZIP's own years. */
  created: number;
  /** Name and version. */
  software: string;
  /** The page that a reader opens first, and its WARC-Date in milliseconds. */
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
/** What is not known yet has its length. */
const NO_SHA256 = "0".repeat(64);

/** How long `writeWacz` gets, to the byte, before anything is read. */
export function waczBytes(parts: Iterable<Pick<WaczPart, "path" | "bytes">>, info: WaczInfo): number {
  const sized = Array.from(parts, ({ path, bytes }) => ({ path, bytes, hash: NO_SHA256 }));
  const datapackage = describe(sized.map(resourceOf), info);
  const entries = [
    ...sized.map(({ path, bytes }) => ({ name: path, size: bytes })),
    { name: DATAPACKAGE, size: datapackage.byteLength },
    { name: DIGEST, size: digestOf(NO_SHA256).byteLength },
  ];
  return Number(predictLength(entries));
}

/** The parts in their order, then what describes them, which knows their digests only then. Whoever stops reading stops the part that is open. */
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
    // client-zip lets go of a part without a word, and what it is read from would stay open.
    cancel: async () => void (await open?.return(undefined)),
  });
}

async function* entriesOf(
  parts: Iterable<WaczPart>,
  info: WaczInfo,
  opened: (part: AsyncGenerator<Uint8Array>) => void,
): AsyncGenerator<ZipEntry> {
  const lastModified = zipDate(info.created);
  const resources: Resource[] = [];
  for (const part of parts) {
    const input = watch(part, resources);
    opened(input);
    yield { name: part.path, lastModified, size: part.bytes, input };
  }
  const datapackage = describe(resources, info);
  yield { name: DATAPACKAGE, lastModified, input: datapackage };
  yield { name: DIGEST, lastModified, input: digestOf(sha256Of(datapackage)) };
}

/** The bytes of a part as they are, and what they were once they are through. */
async function* watch(part: WaczPart, resources: Resource[]): AsyncGenerator<Uint8Array> {
  const hash = part.sha256 === undefined ? startSha256() : null;
  let bytes = 0;
  for await (const chunk of part.open()) {
    bytes += chunk.byteLength;
    hash?.update(chunk);
    // ZIP's writer takes an empty chunk for the end.
    if (chunk.byteLength > 0) yield chunk;
  }
  if (bytes !== part.bytes) throw new Error(`${part.path} has ${bytes} bytes, and not ${part.bytes}`);
  const sha256 = part.sha256 ?? hash?.digest() ?? NO_SHA256;
  resources.push(resourceOf({ path: part.path, bytes, hash: sha256 }));
}

/** Frictionless Data wants names in lower case (https://specs.frictionlessdata.io/data-resource/#name). */
function resourceOf({ path, bytes, hash }: { path: string; bytes: number; hash: string }): Resource {
  return { name: path.slice(path.lastIndexOf("/") + 1).toLowerCase(), path, hash: labelledDigest(hash), bytes };
}

function describe(resources: readonly Resource[], info: WaczInfo): Uint8Array<ArrayBuffer> {
  const { title, description, created, software, mainPage } = info;
  return json({
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

/** Unsigned: it tells that the file is whole, not whose it is. */
function digestOf(sha256: string): Uint8Array<ArrayBuffer> {
  return json({ path: DATAPACKAGE, hash: labelledDigest(sha256) });
}

function json(value: unknown): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(encodeText(JSON.stringify(value, null, 2)));
}

/** ZIP has no time zone, and client-zip writes the local one's digits: they shall be the same wherever it runs. */
function zipDate(date: number): Date {
  const shifted = new Date(date);
  return new Date(
    shifted.getUTCFullYear(),
    shifted.getUTCMonth(),
    shifted.getUTCDate(),
    shifted.getUTCHours(),
    shifted.getUTCMinutes(),
    shifted.getUTCSeconds(),
  );
}
