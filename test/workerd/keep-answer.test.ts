import { expect, test } from "vitest";
import { keepBody } from "../../src/fetch/answer/keep-answer.ts";

/** What the archive keeps of a body that the crawl does not read. Whatever a server sends, the outcome stands. */

const live = new AbortController().signal;
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const breaking = (sent = "") => {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const written = sent === "" ? Promise.resolve() : writer.write(new TextEncoder().encode(sent));
  void written.then(() => writer.abort(new Error("Network connection lost."))).catch(() => undefined);
  return readable;
};
const coded = (body: BodyInit, coding: string) =>
  new Response(body, { headers: { "content-encoding": coding }, encodeBody: "manual" });

test("a body within the limit is complete", async () => {
  const { payload, ...rest } = await keepBody(new Response("not here"), 100, live);
  expect([text(payload), rest]).toEqual(["not here", {}]);
});

test("a longer body is cut, and says so", async () => {
  const { payload, truncated } = await keepBody(new Response("x".repeat(200_000)), 100, live);
  expect([text(payload), truncated]).toEqual(["x".repeat(100), "length"]);
});

test.each<[string, Response, { truncated?: string }]>([
  ["in a coding that the server only names", coded("not here", "utf-8"), {}],
  ["that breaks off", new Response(breaking("not here")), { truncated: "disconnect" }],
  ["that is not in its coding", coded("not here", "gzip"), { truncated: "unspecified" }],
])("a body %s is kept as far as it came", async (_, response, expected) => {
  const { payload, ...rest } = await keepBody(response, 100, live);
  expect([text(payload), rest]).toEqual(["not here", expected]);
});

test.each<[string, Response, AbortSignal, string]>([
  [
    "in a coding that nobody can decode",
    coded(new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0, 1, 2]), "zz"),
    live,
    "unspecified",
  ],
  ["that breaks off before its first byte", new Response(breaking()), live, "disconnect"],
  ["that does not end in time", new Response(breaking()), AbortSignal.abort(), "time"],
])("a body %s is left out", async (_, response, signal, truncated) => {
  expect(await keepBody(response, 100, signal)).toEqual({ payload: new Uint8Array(0), truncated });
});
