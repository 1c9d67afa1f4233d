import { expect, test } from "vitest";
import { blameFor } from "../../src/fetch/answer/answer.ts";
import { NetworkFailure } from "../../src/fetch/transport/http.ts";

/** Whether a request without an answer is a fault of its host, or a drop, which can be one of the URL. */

const host = { hostFailed: true, dropped: false };
const drop = { hostFailed: false, dropped: true };
const page = { hostFailed: false, dropped: false };
test.each([
  ["silence", new NetworkFailure("timeout", ""), host],
  ["an unknown name", new NetworkFailure("dns", ""), host],
  ["a resolver that does not answer", new NetworkFailure("dns", "", true), host],
  ["a failed handshake", new NetworkFailure("tls", ""), host],
  ["a refused connection", new NetworkFailure("connection", ""), host],
  ["a dropped connection", new NetworkFailure("connection", "", true), drop],
  ["a malformed answer", new NetworkFailure("network", ""), drop],
])("%s", (_, failure, expected) => {
  expect(blameFor(failure, false)).toEqual(expected);
  expect(blameFor(failure, true)).toEqual(page);
});

test("an answer that a lenient reader cannot read is a fault of its page", () => {
  expect(blameFor(new NetworkFailure("parse", "the answer has two Content-Lengths: 1 and 2"), false)).toEqual(page);
});
