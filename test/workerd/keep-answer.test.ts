import { expect, test } from "vitest";
import { keepBody } from "../../src/fetch/keep-answer.ts";

/** What the archive keeps of a body that the crawl does not read. Whatever a server sends, the outcome stands. */

const live = new AbortController().signal;
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const breaking = () => {
  const { readable, writable } = new IdentityTransformStream();
  void writable
    .getWriter()
    .abort(new Error("Network connection lost."))
    .catch(() => undefined);
  return readable;
};

test("a body within the limit is complete", async () => {
  const { payload, ...rest } = await keepBody(new Response("not here"), 100, live);
  expect([text(payload), rest]).toEqual(["not here", {}]);
});

test("a longer body is cut, and says so", async () => {
  const { payload, truncated } = await keepBody(new Response("x".repeat(200_000)), 100, live);
  expect([text(payload), truncated]).toEqual(["x".repeat(100), "length"]);
});

test.each<[string, Response, AbortSignal, string]>([
  [
    "in a coding that nobody can decode",
    new Response("?", { headers: { "content-encoding": "zz" }, encodeBody: "manual" }),
    live,
    "unspecified",
  ],
  ["that breaks off", new Response(breaking()), live, "disconnect"],
  ["that does not end in time", new Response(breaking()), AbortSignal.abort(), "time"],
])("a body %s is left out", async (_, response, signal, truncated) => {
  expect(await keepBody(response, 100, signal)).toEqual({ payload: new Uint8Array(0), truncated });
});
