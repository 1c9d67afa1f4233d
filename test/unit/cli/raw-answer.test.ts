import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NoAnswer, readRawAnswer, UnreadableAnswer } from "../../../src/cli/installation/raw-answer.ts";

const read = (text: string) => readRawAnswer(Buffer.from(text, "latin1"));
const answer = (lines: string[], body = "body") => [...lines, "", body].join("\r\n");
const OK = "HTTP/1.1 200 OK";

describe("answers that can be read", () => {
  test.each<[name: string, text: string, fault: string | null]>([
    ["a correct one", answer([OK, "A: b", "Content-Length: 4"]), null],
    ["lines that end with LF alone", "HTTP/1.1 200 OK\nA: b\n\nbody", null],
    ["no reason phrase", answer(["HTTP/1.1 200", "A: b"]), null],
    ["an interim answer before it", `HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n${answer([OK, "A: b"])}`, null],
    ["the same length twice", answer([OK, "A: b", "Content-Length: 4", "Content-Length: 4"]), null],
    ["bytes after its end", answer([OK, "A: b", "Content-Length: 4"], "body and more"), null],
    ["chunks", answer([OK, "A: b", "Transfer-Encoding: chunked"], "3;x=y\r\nbod\r\n1\r\ny\r\n0\r\n\r\n"), null],
    ["a folded header", answer([OK, "A: b", "X-C: d", "  e"]), "the header x-c is folded over several lines"],
    ["a space before the colon", answer([OK, "A : b"]), "the header A has a space before its colon"],
    ["a line without a name", answer([OK, "A: b", ": : :"]), 'the header line ": : :" has no name'],
    [
      "HTTP/1.0 in chunks",
      answer(["HTTP/1.0 200 OK", "A: b", "Transfer-Encoding: chunked"], "4\r\nbody\r\n0\r\n\r\n"),
      "it is an answer of HTTP/1.0, which has no chunks, in chunks",
    ],
  ])("%s", (_name, text, fault) => {
    const { status, headers, body } = read(text);
    expect([status, headers[0], String(body)]).toEqual([200, ["a", "b"], "body"]);
    expect(read(text).fault).toBe(fault);
    expect(headers.map(([name]) => name)).not.toContain("content-length");
  });

  test("a folded value is one value", () => {
    expect(read(answer([OK, "X: a", "\t b\0", " c"])).headers).toEqual([["x", "a b c"]]);
  });

  test("a Location keeps its bytes, and other values theirs", () => {
    const { headers } = read(answer([OK, "Location: /\xc3\xa9\xe9", "X: \x85\xe9"]));
    expect(headers).toEqual([
      ["location", "/%C3%A9%E9"],
      ["x", "\x85\xe9"],
    ]);
  });

  test("a coding is left to the reader of the body", () => {
    const { headers, body } = read(answer([OK, "Content-Encoding: GZIP"]));
    expect([headers, String(body)]).toEqual([[["content-encoding", "GZIP"]], "body"]);
  });

  test("204, 205 and 304 have no body", () => {
    for (const status of [204, 205, 304]) expect(read(answer([`HTTP/1.1 ${status} x`])).body).toHaveLength(0);
  });
});

test.each<[name: string, text: string, says: string]>([
  [
    "two lengths",
    answer([OK, "Content-Length: 1", "Content-Length: 4"]),
    "the answer has two Content-Lengths: 1 and 4",
  ],
  ["two lengths in a line", answer([OK, "Content-Length: 1, 4"]), "the answer has two Content-Lengths: 1 and 4"],
  ["a negative length", answer([OK, "Content-Length: -1"]), 'the Content-Length of the answer is "-1"'],
  ["a chunk without a size", answer([OK, "Transfer-Encoding: chunked"], "zz\r\n"), "a chunk of the answer does not"],
  ["no HTTP", "SSH-2.0-OpenSSH\r\n", 'the answer does not begin like one of HTTP, but with "SSH-2.0-OpenSSH'],
  ["no status", answer(["HTTP/1.1 abc OK"]), 'the answer does not begin like one of HTTP, but with "HTTP/1.1 abc OK"'],
  ["headers that do not end", `${OK}\r\n${"X: y\r\n".repeat(100)}`, "the headers of the answer do not end"],
  ["long headers", `${OK}\r\n${"X: y\r\n".repeat(100_000)}`, "the headers of the answer are longer than 262,144 bytes"],
  ["another protocol", answer(["HTTP/1.1 101 Switching"]), "the answer switches to another protocol"],
])("%s cannot be read, and the error says why", (_name, text, says) => {
  expect(() => read(text)).toThrow(UnreadableAnswer);
  expect(() => read(text)).toThrow(says);
});

describe("a body that breaks off keeps what has come", () => {
  const CHUNKED = answer([OK, "Transfer-Encoding: chunked"], "4\r\nbody\r\n");
  test.each<[name: string, text: string, isCut: boolean, broken: string | null]>([
    ["before its length", answer([OK, "Content-Length: 9"]), false, "its Content-Length is 9"],
    ["in a chunk", answer([OK, "Transfer-Encoding: chunked"], "9\r\nbody"), false, "a chunk of it is cut"],
    ["after a chunk", CHUNKED, false, "its last chunk is missing"],
    ["without a length, while the connection is open", answer([OK]), true, "the server did not end it"],
    ["never: the connection is open after its length", answer([OK, "Content-Length: 4"]), true, null],
    ["never: the connection is open after its last chunk", `${CHUNKED}0\r\n\r\n`, true, null],
  ])("%s", (_name, text, isCut, broken) => {
    const { body, ...found } = readRawAnswer(Buffer.from(text), isCut);
    expect([String(body), found.broken]).toEqual(["body", broken]);
  });
});

test("no bytes are no answer, and neither are headers that do not end in time", () => {
  expect(() => read("")).toThrow(new NoAnswer("dropped", "the host closed the connection without an answer"));
  expect(() => readRawAnswer(Buffer.alloc(0), true)).toThrow("no answer in time");
  expect(() => readRawAnswer(Buffer.from(`${OK}\r\nA: b`), true)).toThrow(NoAnswer);
});

test("no bytes make it throw anything else", () => {
  const line = fc.constantFrom(
    OK,
    "HTTP/1.0 200",
    "A: b",
    " c",
    ":",
    "Content-Length: 3",
    "Transfer-Encoding: chunked",
  );
  const text = fc.oneof(
    fc.tuple(fc.array(line), fc.string({ unit: "binary" })).map(([lines, body]) => answer(lines, body)),
    fc.string({ unit: "binary" }),
  );
  fc.assert(
    fc.property(text, (sent) => {
      try {
        expect(read(sent).status).toBeGreaterThanOrEqual(200);
      } catch (error) {
        expect(error instanceof UnreadableAnswer || error instanceof NoAnswer).toBe(true);
      }
    }),
    { numRuns: 1_000 },
  );
});
