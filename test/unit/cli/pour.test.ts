import { PassThrough, Readable, Writable } from "node:stream";
import { expect, test } from "vitest";
import { pour } from "../../../src/cli/output/pour.ts";

const SENT = "a\r\nb\x1b[31mc\rd é\x9b 🪵\r\n";
const bytewise = () => Readable.from(Array.from(Buffer.from(SENT), (byte) => Uint8Array.of(byte)));

test.each([
  ["a terminal gets no control sequences", true, "a\nb\ufffd[31mc\ufffdd é\ufffd 🪵\n"],
  ["any other output gets the bytes unchanged", false, SENT],
])("%s", async (_, isTTY, expected) => {
  const out = Object.assign(new PassThrough(), { isTTY });
  await pour(bytewise(), out);
  expect(String(out.read())).toBe(expected);
});

/** A stream whose first write fails with this code. */
const failing = (code: string) =>
  new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });

test("a closed pipe is no error, other write errors are", async () => {
  await pour(bytewise(), failing("EPIPE"));
  await expect(pour(bytewise(), failing("EIO"))).rejects.toThrow("EIO");
});
