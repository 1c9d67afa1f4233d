import { deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { joinChunks, readForeignResponse, statusOf } from "../../../src/archive/foreign-response.ts";
import { joinBytes } from "../../../src/core/join-bytes.ts";

/** HTTP answers as other tools store them. */

const encoder = new TextEncoder();
const read = (head: string, body: Uint8Array | string = "") =>
  readForeignResponse(joinBytes([encoder.encode(head), typeof body === "string" ? encoder.encode(body) : body]));
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe("a head", () => {
  test.each<[line: string, status: number, statusText: string]>([
    ["HTTP/1.1 200 OK", 200, "OK"],
    ["HTTP/1.0 404 Not Found", 404, "Not Found"],
    ["HTTP/2 200", 200, ""],
    ["HTTP/1.1 200 ", 200, ""],
    ["HTTP/1.1  301  Moved", 301, "Moved"],
    ["HTTP/1.1 999 Request denied", 999, "Request denied"],
    ["ICY 200 OK", 200, "OK"],
  ])("begins with %j", (line, status, statusText) => {
    expect(read(`${line}\r\nA: b\r\n\r\n`)).toMatchObject({ status, statusText, headers: [["A", "b"]] });
    expect(statusOf(encoder.encode(`${line}\r\n`))).toBe(status);
  });

  test.each(["", "<html>", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 OK\r\n\r\n", "200 OK\r\n\r\n"])("%j is none", (head) => {
    expect(read(head)).toBeNull();
    expect(statusOf(encoder.encode(head))).toBeNull();
  });

  test("may have LF, folded lines, lines that are no fields, and other bytes than UTF-8", () => {
    const head = Uint8Array.from("HTTP/1.1 200 OK\nA: b\n c\nnone\nB : d\nC: \xe9\n\n", (c) => c.charCodeAt(0));
    const found = readForeignResponse(joinBytes([head, encoder.encode("body")]));
    expect(found?.headers).toEqual([
      ["A", "b c"],
      ["B", "d"],
      ["C", "é"],
    ]);
    expect(text(found?.payload ?? head)).toBe("body");
  });

  test("without an empty line has no body", () => {
    expect(read("HTTP/1.1 200 OK\r\nA: b\r\n")).toMatchObject({ headers: [["A", "b"]], payload: new Uint8Array(0) });
  });
});

describe("a body that is called chunked", () => {
  const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  test.each<[name: string, body: string, joined: string]>([
    ["has its chunks", "4\r\nWiki\r\n6;x=y\r\npedia \r\n0\r\nTrailer: x\r\n\r\n", "Wikipedia "],
    ["has chunks of LF alone", "4\nWiki\n0\n\n", "Wiki"],
    ["breaks off within a chunk", "4\r\nWiki\r\n6\r\nped", "Wikiped"],
    ["breaks off after one", "4\r\nWiki\r\n", "Wiki"],
    ["was joined by a tool", "<p>Wiki</p>\n", "<p>Wiki</p>\n"],
    ["begins like a size", "4 apples\r\n", "4 apples\r\n"],
    ["is shorter than its size, with more after it", "2\r\nWiki\r\n0\r\n\r\n", "2\r\nWiki\r\n0\r\n\r\n"],
    ["is empty", "", ""],
  ])("%s", (_, body, joined) => {
    const found = read(CHUNKED, body);
    expect(text(found?.payload ?? new Uint8Array(1))).toBe(joined);
    expect(found?.headers).toEqual([]);
  });

  test("is left alone if nothing calls it so", () => {
    expect(text(read("HTTP/1.1 200 OK\r\nA: b\r\n\r\n", "1\r\nx\r\n0\r\n\r\n")?.payload ?? new Uint8Array(0))).toBe(
      "1\r\nx\r\n0\r\n\r\n",
    );
    expect(joinChunks(encoder.encode("x"))).toBeNull();
  });
});

test.each<[coding: string, body: Uint8Array, name: string]>([
  ["gzip", gzipSync("x"), "Content-Encoding"],
  ["gzip", encoder.encode("<p>decoded"), "x-orig-Content-Encoding"],
  ["zstd", encoder.encode("<p>decoded"), "x-orig-Content-Encoding"],
  ["br", encoder.encode("<p>either"), "Content-Encoding"],
  ["deflate", deflateSync("x"), "Content-Encoding"],
])("a coding that the body does not have is not undone again: %s", (coding, body, name) => {
  expect(read(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\n\r\n`, body)?.headers).toEqual([[name, coding]]);
});
