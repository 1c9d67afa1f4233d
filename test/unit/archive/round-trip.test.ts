import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gzipMember } from "../../../src/archive/gzip-member.ts";
import type { Field } from "../../../src/archive/header-block.ts";
import { parseRecord, readRecord, UnreadableRecord } from "../../../src/archive/read-warc-record.ts";
import {
  labelledDigest,
  metadataRecord,
  requestRecord,
  responseRecord,
  revisitRecord,
  warcinfoRecord,
} from "../../../src/archive/warc-record.ts";
import { joinBytes } from "../../../src/core/join-bytes.ts";
import { gzipMembers } from "../../gzip-members.ts";
import { encode } from "../../sites/encode.ts";
import { DATE, HELLO, HELLO_SHA256, ID, sha256 } from "./samples.ts";
import { readWithWarcio } from "./warcio.ts";

const TEXT = "Straße, naïve, 100";
const random = (length: number) => {
  let state = 1;
  return Uint8Array.from({ length }, () => {
    state = Math.imul(state, 1_103_515_245) + 12_345;
    return state >>> 16;
  });
};

const BODIES: Record<string, Uint8Array> = {
  empty: new Uint8Array(0),
  "one byte": Uint8Array.of(0x41),
  NULs: new Uint8Array(1_000),
  "line ends": new TextEncoder().encode("\r\n\r\n\r\n\r\nWARC/1.1\r\n\r\n"),
  "gzip magic": Uint8Array.of(0x1f, 0x8b, 8, 0),
  "1 MB of noise": random(1_000_000),
  "utf-8": encode(TEXT, "utf-8"),
  "utf-16le": encode(TEXT, "utf-16le"),
  "windows-1252": encode(TEXT, "windows-1252"),
  shift_jis: encode("日本語", "shift_jis"),
};

const HEADS: Record<string, { status: number; statusText: string; headers: Field[] }> = {
  bare: { status: 200, statusText: "OK", headers: [["a", "b"]] },
  "not found": { status: 404, statusText: "Not Found", headers: [["content-type", "text/html; charset=utf-8"]] },
  "no reason": { status: 500, statusText: "", headers: [["content-type", "text/html"]] },
  "an odd reason": { status: 299, statusText: "  Fine: é 你 \t ", headers: [["x-a", "b"]] },
  "set-cookie twice": {
    status: 200,
    statusText: "OK",
    headers: [
      ["set-cookie", "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT"],
      ["set-cookie", "b=2"],
      ["x-dup", "1"],
      ["x-dup", "2"],
    ],
  },
  "not ASCII": {
    status: 200,
    statusText: "OK",
    headers: [
      ["x-utf-8", "é 你 😀"],
      ["x-lost", "caf\ufffd"],
    ],
  },
  "an empty value": {
    status: 200,
    statusText: "OK",
    headers: [
      ["x-empty", ""],
      ["x-colon", ":a: b"],
    ],
  },
};

const url = "https://example.com/";
const answer = { id: ID, date: DATE, url };

describe("a written record is read back", () => {
  const cases = Object.keys(HEADS).flatMap((head) => Object.keys(BODIES).map((body) => [head, body] as const));

  test.each(cases)("%s, %s", async (headName, bodyName) => {
    const head = HEADS[headName] ?? { status: 0, statusText: "", headers: [] };
    const payload = BODIES[bodyName] ?? HELLO;
    const member = gzipMember(responseRecord({ ...answer, ...head, payload, sha256: sha256(payload) }));

    const ours = await readRecord(member);
    expect(ours.warcHeaders.get("warc-target-uri")).toBe(url);
    expect({ status: ours.status, statusText: ours.statusText }).toEqual({
      status: head.status,
      statusText: head.statusText,
    });
    expect(ours.httpHeaders).toEqual(head.headers);
    expect(Buffer.compare(ours.payload, payload)).toBe(0);

    const [theirs] = await readWithWarcio(member);
    expect(theirs?.startLine).toBe(`HTTP/1.1 ${head.status} ${head.statusText}`.trimEnd());
    expect(Buffer.compare(theirs?.payload ?? HELLO, payload)).toBe(0);
    expect(theirs?.digest).toBe(labelledDigest(sha256(theirs?.payload ?? HELLO)));
  });
});

test("a very long URL", async () => {
  const long = `https://example.com/${"a".repeat(60_000)}?${"b=c&".repeat(1_000)}`;
  const { bytes } = gzipMembers([
    responseRecord({ ...answer, url: long, status: 200, statusText: "OK", headers: [], payload: HELLO, sha256: "0" }),
    requestRecord({ ...answer, url: long, method: "GET", headers: [] }),
  ]);
  const seen = await readWithWarcio(bytes);
  expect(seen.map(({ url }) => url)).toEqual([long, long]);
  expect(seen[1]?.startLine).toBe(`GET ${long.slice("https://example.com".length)} HTTP/1.1`);
});

test("a file with every kind: each member is at its place, and can be read alone", async () => {
  const http = { status: 200, statusText: "OK", headers: [["content-type", "text/plain"]] as const };
  const { bytes, places } = gzipMembers([
    warcinfoRecord({ date: DATE, fields: [["software", "Orbweaver"]] }),
    responseRecord({ ...answer, ...http, payload: HELLO, sha256: HELLO_SHA256 }),
    requestRecord({ date: DATE, url, concurrentTo: ID, method: "GET", headers: [["accept", "*/*"]] }),
    metadataRecord({ date: DATE, url, concurrentTo: ID, fields: [["hopsFromSeed", "LL"]] }),
    revisitRecord({ ...answer, ...http, sha256: HELLO_SHA256, bytes: 5, refersTo: { url, date: DATE } }),
  ]);
  const seen = await readWithWarcio(bytes);
  expect(seen.map(({ type }) => type)).toEqual(["warcinfo", "response", "request", "metadata", "revisit"]);
  expect(seen.map(({ offset, length }) => ({ offset, length }))).toEqual(places);
  const records = await Promise.all(
    places.map(({ offset, length }) => readRecord(bytes.subarray(offset, offset + length))),
  );
  expect(records.map(({ warcHeaders }) => warcHeaders.get("warc-type"))).toEqual(seen.map(({ type }) => type));
  expect(records.map(({ status }) => status)).toEqual([null, 200, null, null, 200]);
  expect(records.map(({ payload }) => new TextDecoder().decode(payload))).toEqual([
    "software: Orbweaver\r\n",
    "hello",
    "",
    "hopsFromSeed: LL\r\n",
    "",
  ]);
});

test("any head and any body", async () => {
  const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9a-z-]{1,30}$/);
  // The values that a `Headers` object may have: no line ends, no NUL, and no blanks around them.
  const value = fc
    .string({ unit: "binary", maxLength: 60 })
    .map((text) => text.replace(/[\0\r\n]/g, "").replace(/^[ \t]+|[ \t]+$/g, ""))
    .filter((text) => text.isWellFormed());
  const named = token.filter((name) => !/^(content-length|content-encoding|transfer-encoding)$/.test(name));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(named, value), { maxLength: 12 }),
      fc.uint8Array({ maxLength: 3_000 }),
      fc.integer({ min: 100, max: 999 }),
      value,
      async (headers, payload, status, statusText) => {
        const http = { status, statusText, headers };
        const member = gzipMember(responseRecord({ ...answer, ...http, payload, sha256: sha256(payload) }));
        const ours = await readRecord(member);
        expect(ours.httpHeaders).toEqual(headers.length > 0 ? headers : [["content-length", String(payload.length)]]);
        expect([ours.status, ours.statusText]).toEqual([status, statusText]);
        expect(Buffer.compare(ours.payload, payload)).toBe(0);
        const [theirs] = await readWithWarcio(member);
        expect(Buffer.compare(theirs?.payload ?? HELLO, payload)).toBe(0);
        expect(theirs?.digest).toBe(labelledDigest(sha256(payload)));
      },
    ),
    { numRuns: 200 },
  );
});

describe("bytes that are no record of ours are rejected", () => {
  const record = responseRecord({
    ...answer,
    status: 200,
    statusText: "OK",
    headers: [],
    payload: HELLO,
    sha256: HELLO_SHA256,
  });
  const text = new TextDecoder().decode(joinBytes(record));

  test.each([
    ["nothing", "", "without an empty line"],
    ["another version", text.replace("WARC/1.1", "WARC/0.9"), "no WARC/1.1 record"],
    ["one byte less", text.slice(0, -1), "a block of"],
    ["one byte more", `${text}x`, "a block of"],
    ["another end", `${text.slice(0, -1)}x`, "a block of"],
    ["no length", text.replace(/Content-Length: \d+\r\n/, ""), "called nothing"],
    ["no colon", text.replace("WARC-Type: ", "WARC-Type "), "no field"],
    ["no status line", text.replace("HTTP/1.1 200 OK", "HTTP/1.1 20O OK"), "no status line"],
    ["no end of its HTTP head", text.replace("5\r\n\r\nhello", "5\r\n_:hello"), "its HTTP header"],
  ])("%s", (_, changed, complaint) => {
    const parse = () => parseRecord(new TextEncoder().encode(changed));
    expect(parse).toThrow(UnreadableRecord);
    expect(parse).toThrow(complaint);
  });

  test("bytes that are not one gzip member", async () => {
    const member = gzipMember(record);
    await expect(readRecord(HELLO)).rejects.toThrow("not one gzip member");
    await expect(readRecord(new Uint8Array(0))).rejects.toThrow(UnreadableRecord);
    await expect(readRecord(member.subarray(0, -1))).rejects.toThrow("not one gzip member");
    await expect(readRecord(joinBytes([member, member]))).rejects.toThrow(UnreadableRecord);
    await expect(readRecord(joinBytes([member, HELLO]))).rejects.toThrow(UnreadableRecord);
  });
});
