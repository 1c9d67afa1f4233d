import { unzipSync } from "fflate";
import { expect, test } from "vitest";
import { readRecord } from "../../src/archive/read-warc-record.ts";
import { sha256Of, startSha256 } from "../../src/archive/sha256.ts";
import { type WaczPart, waczBytes, writeWacz } from "../../src/archive/wacz.ts";
import { metadataRecord, requestRecord, responseRecord } from "../../src/archive/warc-record.ts";
import { gzipMembers } from "../gzip-members.ts";

/** The archive code in workerd, whose streams and digests differ from Node's. */

const url = "https://example.com/";
const date = Date.UTC(2026, 10, 21);

test("records that were written can be read", async () => {
  const payload = new Uint8Array(1_000_000);
  for (let at = 0; at < payload.length; at += 65_536) crypto.getRandomValues(payload.subarray(at, at + 65_536));
  const sha256 = sha256Of(payload);
  const headers = new Headers([
    ["set-cookie", "a=1"],
    ["set-cookie", "b=2"],
    ["x-utf-8", "plain"],
  ]);
  const { bytes, places } = gzipMembers([
    responseRecord({ url, date, status: 200, statusText: "OK", headers, payload, sha256 }),
    requestRecord({ url, date, method: "GET", headers: [] }),
    metadataRecord({ url, date, fields: [["hopsFromSeed", "L"]] }),
  ]);
  const records = await Promise.all(
    places.map(({ offset, length }) => readRecord(bytes.subarray(offset, offset + length))),
  );
  expect(records.map(({ warcHeaders }) => warcHeaders.get("warc-type"))).toEqual(["response", "request", "metadata"]);
  expect(records[0]?.httpHeaders).toEqual([...headers]);
  expect(sha256Of(records[0]?.payload.slice() ?? new Uint8Array(0))).toBe(sha256);
  await expect(readRecord(bytes.subarray(0, 1_000))).rejects.toThrow("not one gzip member");
});

test("writeWacz() streams a WACZ with its digests", async () => {
  const content = new Uint8Array(300_000).fill(7);
  const part: WaczPart = {
    path: "archive/data.warc.gz",
    bytes: content.length,
    async *open() {
      for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536);
    },
  };
  const info = { title: "A crawl", created: date, software: "Orbweaver" };
  const wacz = new Uint8Array(await new Response(writeWacz([part], info)).arrayBuffer());
  expect(wacz.byteLength).toBe(waczBytes([part], info));
  const files = unzipSync(wacz);
  const { resources } = JSON.parse(new TextDecoder().decode(files["datapackage.json"]));
  expect(resources[0].hash).toBe(`sha256:${sha256Of(content)}`);
});

test("an incremental digest equals the digest of all bytes", async () => {
  const hash = startSha256();
  for (const text of ["he", "", "llo"]) hash.update(new TextEncoder().encode(text));
  expect(hash.digest()).toBe(sha256Of(Uint8Array.from(new TextEncoder().encode("hello"))));
});
