/**
 * Imports a WARC that it makes, of this many megabytes, by `import` to its end.
 *
 *     npm run bench:import -- [--megabytes 1000] [--compressed]
 *
 * Its pages are generated, of 17 KB with 20 links, and each twentieth is a picture of 400 KB. A megabyte is of the
 * file.
 */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import type { Summary } from "../src/cli/output/summary.ts";
import { generatedPage, pagePath } from "../test/sites/generated-site.ts";
import { measureCommand, mebibytes } from "./measured-command.ts";

const { values } = parseArgs({
  options: { megabytes: { type: "string", default: "1000" }, compressed: { type: "boolean", default: false } },
});
const SIZE = { pages: 1_000_000, links: 20, bytes: 17_000 };
const PICTURE_EVERY = 20;
const PICTURE_BYTES = 400_000;
const most = Number(values.megabytes) * 1e6;
const folder = await mkdtemp(join(tmpdir(), "orbweaver-bench-import-"));
const counted = { records: 0, bytes: 0 };
try {
  const archive = join(folder, values.compressed ? "made.warc.gz" : "made.warc");
  await pipeline(Readable.from(records()), createWriteStream(archive));
  console.error(`Made ${mebibytes(counted.bytes)} MiB of WARC with ${counted.records} answers.`);
  const state = join(folder, "state");
  const ran = await measureCommand("import", archive, "--json", "--state", state);
  const { status, total, completed } = JSON.parse(ran.stdout) as Summary;
  if (status !== "completed" || total !== counted.records || completed !== total)
    throw new Error(`${status}: ${completed} completed of ${total}, not ${counted.records}`);
  console.log(
    "| WARC | MiB | answers | seconds in all | answers/s | memory of workerd, MiB | memory of Node, MiB |\n| --- | --- | --- | --- | --- | --- | --- |",
  );
  const cells = [values.compressed ? "gzip" : "as it is", mebibytes(counted.bytes)];
  cells.push(counted.records.toLocaleString("en"), ran.seconds.toFixed(0), (counted.records / ran.seconds).toFixed(0));
  cells.push(mebibytes(ran.workerd), mebibytes(ran.node));
  console.log(`| ${cells.join(" | ")} |`);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

function* records(): Generator<Buffer> {
  for (let i = 0; counted.bytes < most; i++) {
    yield count(recordOf(pagePath(i), "text/html; charset=utf-8", Buffer.from(generatedPage(i, SIZE))));
    if (i % PICTURE_EVERY === 0) yield count(recordOf(`/pictures/${i}.png`, "image/png", noise(i)));
  }
}

function count(record: Buffer): Buffer {
  const bytes = values.compressed ? gzipSync(record) : record;
  counted.records += 1;
  counted.bytes += bytes.length;
  return bytes;
}

function recordOf(path: string, type: string, body: Buffer): Buffer {
  const http = `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`;
  const head = [
    ...["WARC/1.0", "WARC-Type: response", `WARC-Target-URI: http://kept.example${path}`],
    ...["WARC-Date: 2020-01-01T00:00:00Z", "Content-Type: application/http; msgtype=response"],
    `Content-Length: ${http.length + body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n${http}`), body, Buffer.from("\r\n\r\n")]);
}

/** Bytes that do not compress, the same for each `seed`. */
function noise(seed: number): Buffer {
  const blocks: Buffer[] = [];
  for (let i = 0; i * 64 < PICTURE_BYTES; i++) blocks.push(createHash("sha512").update(`${seed} ${i}`).digest());
  return Buffer.concat(blocks).subarray(0, PICTURE_BYTES);
}
