import { describe, expect, test } from "vitest";
import {
  metadataRecord,
  type RecordBytes,
  requestRecord,
  resourceRecord,
  responseRecord,
  revisitRecord,
  warcinfoRecord,
} from "../../../src/archive/warc-record.ts";
import { joinBytes } from "../../../src/core/join-bytes.ts";
import { DATE, HELLO, HELLO_SHA256, ID, INFO_ID, OTHER_ID, sha256 } from "./samples.ts";

/** Each kind of record, byte by byte. A line break means CRLF, and BLOCK the digest of what follows the header. */
function expectBytes(record: RecordBytes, text: string): void {
  const lines = text.replaceAll("\n", "\r\n");
  const block = lines.slice(lines.indexOf("\r\n\r\n") + 4, -4);
  const expected = lines.replace("BLOCK", `sha256:${sha256(new TextEncoder().encode(block))}`);
  expect(new TextDecoder().decode(joinBytes(record)).replaceAll("\r\n", "⏎\n")).toBe(
    expected.replaceAll("\r\n", "⏎\n"),
  );
}

const url = "https://example.com/page?a=b";
const head = {
  status: 200,
  statusText: "OK",
  headers: [
    ["content-type", "text/html"],
    ["set-cookie", "a=1"],
    ["set-cookie", "b=2"],
  ] as const,
};

test("warcinfo", () => {
  const fields = [
    ["software", "Orbweaver/0.1.0"],
    ["format", "WARC File Format 1.1"],
  ] as const;
  expectBytes(
    warcinfoRecord({ id: INFO_ID, date: DATE, filename: "crawl.warc.gz", fields }),
    `\
WARC/1.1
WARC-Type: warcinfo
WARC-Record-ID: <urn:uuid:${INFO_ID}>
WARC-Date: 2026-11-21T10:20:30.456Z
WARC-Filename: crawl.warc.gz
WARC-Block-Digest: BLOCK
Content-Type: application/warc-fields
Content-Length: 57

software: Orbweaver/0.1.0
format: WARC File Format 1.1


`,
  );
});

test("response", () => {
  expectBytes(
    responseRecord({ id: ID, warcinfoId: INFO_ID, date: DATE, url, ...head, payload: HELLO, sha256: HELLO_SHA256 }),
    `\
WARC/1.1
WARC-Type: response
WARC-Record-ID: <urn:uuid:${ID}>
WARC-Date: 2026-11-21T10:20:30.456Z
WARC-Target-URI: https://example.com/page?a=b
WARC-Payload-Digest: sha256:${HELLO_SHA256}
WARC-Block-Digest: BLOCK
WARC-Warcinfo-ID: <urn:uuid:${INFO_ID}>
Content-Type: application/http; msgtype=response
Content-Length: 83

HTTP/1.1 200 OK
content-type: text/html
set-cookie: a=1
set-cookie: b=2

hello

`,
  );
});

test("a response with decoded codings, a truncated body and an empty reason", () => {
  const headers = [
    ["content-encoding", "gzip"],
    ["content-length", "999"],
    ["transfer-encoding", "chunked"],
  ] as const;
  const answer = { id: ID, date: DATE, url, status: 404, statusText: "", headers };
  expectBytes(
    responseRecord({ ...answer, payload: HELLO, sha256: HELLO_SHA256, truncated: "length" }),
    `\
WARC/1.1
WARC-Type: response
WARC-Record-ID: <urn:uuid:${ID}>
WARC-Date: 2026-11-21T10:20:30.456Z
WARC-Target-URI: https://example.com/page?a=b
WARC-Payload-Digest: sha256:${HELLO_SHA256}
WARC-Truncated: length
WARC-Block-Digest: BLOCK
Content-Type: application/http; msgtype=response
Content-Length: 135

HTTP/1.1 404 
x-orig-content-encoding: gzip
content-length: 5
x-orig-content-length: 999
x-orig-transfer-encoding: chunked

hello

`,
  );
});

test("request", () => {
  const headers = [["user-agent", "Orbweaver"]] as const;
  expectBytes(
    requestRecord({ id: OTHER_ID, date: DATE, url, concurrentTo: ID, method: "GET", headers }),
    `\
WARC/1.1
WARC-Type: request
WARC-Record-ID: <urn:uuid:${OTHER_ID}>
WARC-Date: 2026-11-21T10:20:30.456Z
WARC-Target-URI: https://example.com/page?a=b
WARC-Concurrent-To: <urn:uuid:${ID}>
WARC-Block-Digest: BLOCK
Content-Type: application/http; msgtype=request
Content-Length: 68

GET /page?a=b HTTP/1.1
host: example.com
user-agent: Orbweaver



`,
  );
});

test("metadata", () => {
  const fields = [
    ["via", "https://example.com/"],
    ["hopsFromSeed", "L"],
    ["fetchTimeMs", "120"],
  ] as const;
  expectBytes(
    metadataRecord({ id: OTHER_ID, date: DATE, url, concurrentTo: ID, fields }),
    `\
WARC/1.1
WARC-Type: metadata
WARC-Record-ID: <urn:uuid:${OTHER_ID}>
WARC-Date: 2026-11-21T10:20:30.456Z
WARC-Target-URI: https://example.com/page?a=b
WARC-Concurrent-To: <urn:uuid:${ID}>
WARC-Block-Digest: BLOCK
Content-Type: application/warc-fields
Content-Length: 62

via: https://example.com/
hopsFromSeed: L
fetchTimeMs: 120


`,
  );
});

test("revisit", () => {
  const refersTo = { url: "https://example.com/", date: DATE - 1000, id: OTHER_ID };
  const headers = [
    ["content-type", "text/html"],
    ["content-length", "5"],
  ] as const;
  expectBytes(
    revisitRecord({ id: ID, date: DATE, url, ...head, headers, refersTo, sha256: HELLO_SHA256, bytes: 5 }),
    `\
WARC/1.1
WARC-Type: revisit
WARC-Record-ID: <urn:uuid:${ID}>
WARC-Date: 2026-11-21T10:20:30.456Z
WARC-Target-URI: https://example.com/page?a=b
WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest
WARC-Refers-To-Target-URI: https://example.com/
WARC-Refers-To-Date: 2026-11-21T10:20:29.456Z
WARC-Refers-To: <urn:uuid:${OTHER_ID}>
WARC-Payload-Digest: sha256:${HELLO_SHA256}
WARC-Truncated: length
WARC-Block-Digest: BLOCK
Content-Type: application/http; msgtype=response
Content-Length: 63

HTTP/1.1 200 OK
content-type: text/html
content-length: 5



`,
  );
});

test("resource", () => {
  const resource = { id: ID, date: DATE, url: "urn:text:https://example.com/", contentType: "text/plain" };
  expectBytes(
    resourceRecord({ ...resource, payload: HELLO, sha256: HELLO_SHA256 }),
    `\
WARC/1.1
WARC-Type: resource
WARC-Record-ID: <urn:uuid:${ID}>
WARC-Date: 2026-11-21T10:20:30.456Z
WARC-Target-URI: urn:text:https://example.com/
WARC-Payload-Digest: sha256:${HELLO_SHA256}
WARC-Block-Digest: BLOCK
Content-Type: text/plain
Content-Length: 5

hello

`,
  );
});

describe("no text can add a line", () => {
  /** One record of each kind, with `text` wherever a record has text of others. */
  function records(text: string): Record<string, RecordBytes> {
    const captured = { id: text, date: DATE, url: `https://example.com/${text}`, concurrentTo: text, warcinfoId: text };
    const payload = { payload: new Uint8Array(0), sha256: text };
    const fields = [[text, text] as const, ["a b:c", "d"] as const];
    const http = { status: 200, statusText: text, headers: fields };
    const refersTo = { url: text, date: DATE, id: text };
    return {
      warcinfo: warcinfoRecord({ id: text, date: DATE, filename: text, fields }),
      response: responseRecord({ ...captured, ...http, ...payload }),
      request: requestRecord({ ...captured, method: text, headers: fields }),
      metadata: metadataRecord({ ...captured, fields }),
      revisit: revisitRecord({ ...captured, ...http, refersTo, sha256: text, bytes: 0 }),
      resource: resourceRecord({ ...captured, ...payload, contentType: text }),
    };
  }
  const tame = records("x");
  const evil = records("x\r\nWARC-Type: warcinfo\n\r\n\r\nWARC/1.1\0");

  test.each(Object.keys(tame))("%s", (kind) => {
    const [expected, text] = [tame, evil].map((all) => new TextDecoder().decode(joinBytes(all[kind] ?? [])));
    expect(text?.split("\r\n").length).toBe(expected?.split("\r\n").length);
    expect(text?.replaceAll("\r\n", "")).not.toMatch(/[\r\n\0]/);
  });
});

test("the default id is a new one", () => {
  const ids = [1, 2].map(() => new TextDecoder().decode(joinBytes(metadataRecord({ date: 0, url, fields: [] }))));
  expect(ids[0]).toMatch(/<urn:uuid:[0-9a-f-]{36}>/);
  expect(ids[0]).not.toBe(ids[1]);
});
