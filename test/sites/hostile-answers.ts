import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { HTML, page, redirect } from "./handmade-site.ts";

/** Answers that violate HTTP or use it in unexpected ways. */

interface HostileAnswer {
  /** The expected status and reason of its record. */
  outcome: string;
  answer(response: ServerResponse): void;
}

const PAGE = page("shown");

/** Writes raw bytes to the connection and closes it. */
const raw = (outcome: string, ...parts: (string | Uint8Array)[]): HostileAnswer => ({
  outcome,
  answer: ({ socket }) =>
    void socket?.end(Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)))),
});
const head = (status: string, ...headers: string[]) =>
  `HTTP/1.1 ${status}\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`;
const HTML_LINE = "Content-Type: text/html";
const LENGTH = `Content-Length: ${PAGE.length}`;

const answered = (
  outcome: string,
  status: number,
  headers: Record<string, string | string[]>,
  body: string | Uint8Array = PAGE,
): HostileAnswer => ({ outcome, answer: (response) => void response.writeHead(status, headers).end(body) });
const typed = (outcome: string, contentType: string) => answered(outcome, 200, { "content-type": contentType });
const leading = (outcome: string, location: string) =>
  raw(outcome, head("302 Found", `Location: ${location}`, "Content-Length: 0"));
const gzipped = gzipSync(PAGE);

/** Answers that fail only their own URL: the host counts as healthy. */
export const HOSTILE_ANSWERS: Record<string, HostileAnswer> = {
  "no-body": answered("skipped empty", 200, HTML, ""),
  "gzip-cut": answered(
    "completed null",
    200,
    { ...HTML, "content-encoding": "gzip" },
    gzipped.subarray(0, gzipped.length / 2),
  ),
  "gzip-in-gzip": answered(
    "skipped content-type",
    200,
    { ...HTML, "content-encoding": "gzip" },
    gzipSync(gzipSync("\0".repeat(50_000))),
  ),
  "length-too-long": raw("completed null", head("200 OK", HTML_LINE, "Content-Length: 100000"), PAGE),
  "length-too-short": raw("completed null", head("200 OK", HTML_LINE, "Content-Length: 60"), PAGE),
  "length-none": raw("completed null", head("200 OK", HTML_LINE), PAGE),
  "chunks-cut": raw("completed null", head("200 OK", HTML_LINE, "Transfer-Encoding: chunked"), "ffff\r\n", PAGE),
  "chunks-nonsense": raw("errored connection", head("200 OK", HTML_LINE, "Transfer-Encoding: chunked"), "zz\r\n", PAGE),
  "headers-5000": raw(
    "completed null",
    head("200 OK", HTML_LINE, LENGTH, ...Array.from({ length: 5_000 }, (_, at) => `X-${at}: a`)),
    PAGE,
  ),
  "headers-500-cookies": raw(
    "completed null",
    head("200 OK", HTML_LINE, LENGTH, ...Array.from({ length: 500 }, (_, at) => `Set-Cookie: a${at}=b`)),
    PAGE,
  ),

  "status-204-with-body": raw("skipped empty", head("204 No Content", HTML_LINE, LENGTH), PAGE),
  "status-206": answered("completed null", 206, { ...HTML, "content-range": "bytes 0-9/1000000" }),
  "status-304": raw("errored http-status", head("304 Not Modified")),
  "status-300-nowhere": answered("errored http-status", 300, HTML),
  "status-418": answered("errored http-status", 418, HTML),
  "status-599": answered("errored http-status", 599, HTML),
  "status-999": raw("errored http-status", head("999 Request denied", HTML_LINE, LENGTH), PAGE),
  "status-101": raw("errored http-status", head("101 Switching Protocols", "Upgrade: nonsense", "Connection: Upgrade")),
  "status-without-words": raw("completed null", head("200", HTML_LINE, LENGTH), PAGE),
  "status-words-64-kib": raw("errored http-status", head(`404 ${"no ".repeat(20_000)}`, LENGTH), PAGE),

  "location-empty": leading("errored http-status", ""),
  "location-self": answered("errored redirect-loop", 302, redirect("/location-self").headers ?? {}),
  "location-self-fragment": leading("errored redirect-loop", "#again"),
  "location-data": leading("errored http-status", "data:text/html,<title>shown</title>"),
  "location-javascript": leading("errored http-status", "javascript:alert(1)"),
  "location-file": leading("errored http-status", "file:///etc/passwd"),
  "location-nonsense": leading("errored http-status", "http://[::1:80]:99999/%%%"),
  "location-64-kib": leading("skipped redirected", `/${"a".repeat(65_536)}`),

  "type-parameters": typed("completed null", 'text/html; charset=;;;"; q=1; ; charset="utf-8'),
  "type-upper": typed("completed null", "TEXT/HTML;CHARSET=UTF-8"),
  "type-twice": typed("completed null", "text/html, text/html"),
  "type-half": typed("completed null", "html"),
  "type-any": typed("completed null", "*/*"),
  "type-unknown": typed("completed null", "unknown/unknown"),
  "type-60-kib": typed("completed null", "x".repeat(60_000)),
  "type-with-60-kib": typed("completed null", `text/html; charset=utf-8; x=${"y".repeat(60_000)}`),
  "type-empty": typed("completed null", ""),
};

/** Answers that workerd refuses or that never come. A host may have to back off after them, so each has its own. */
export const BROKEN_HOSTS: Record<string, HostileAnswer> = {
  "status-1xx-flood": raw(
    "completed null",
    head("103 Early Hints").repeat(1_000),
    head("200 OK", HTML_LINE, LENGTH),
    PAGE,
  ),
  "status-nonsense": raw("errored parse", head("abc OK", HTML_LINE, LENGTH), PAGE),
  "no-status-line": raw("errored parse", PAGE),
  "headers-nonsense": raw("completed null", "HTTP/1.1 200 OK\r\n: : :\r\nno colon\r\n\r\n", PAGE),
  "headers-that-do-not-end": raw("errored parse", "HTTP/1.1 200 OK\r\n", "X: y\r\n".repeat(50_000)),
  "length-negative": raw("errored parse", head("200 OK", HTML_LINE, "Content-Length: -1"), PAGE),
  "length-twice": raw("errored parse", head("200 OK", HTML_LINE, "Content-Length: 1", "Content-Length: 2"), PAGE),
  "nothing-but-newlines": raw("errored parse", "\r\n".repeat(100_000)),
  "hangs-up": raw("errored connection"),
};
