import { PassThrough, Readable, Writable } from "node:stream";
import { expect, test } from "vitest";
import { pour } from "../../../src/cli/pour.ts";

const SENT = "a\r\nb\x1b[31mc\rd é\x9b 🪵\r\n";
const bytewise = () => Readable.from(Array.from(Buffer.from(SENT), (byte) => Uint8Array.of(byte)));

test.each([
  ["a screen gets nothing that it would obey", true, "a\nb\ufffd[31mc\ufffdd é\ufffd 🪵\n"],
  ["anything else gets the bytes", false, SENT],
])("%s", async (_, isTTY, expected) => {
  const out = Object.assign(new PassThrough(), { isTTY });
  await pour(bytewise(), out);
  expect(String(out.read())).toBe(expected);
});

/** A reader whose first write fails like this. */
const failing = (code: string) =>
  new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });

test("a reader that has enough is no failure, and any other trouble is", async () => {
  await pour(bytewise(), failing("EPIPE"));
  await expect(pour(bytewise(), failing("EIO"))).rejects.toThrow("EIO");
});
