import { expect, test, vi } from "vitest";
import { resolveText } from "../../../src/fetch/transport/resolver.ts";

test.each([
  ['"one"', "one"],
  ['"two " "parts"', "two parts"],
  ['"a \\"quote\\" and a \\\\"', 'a "quote" and a \\'],
  ["bare", "bare"],
  ['"open', "open"],
  [`"${'\\"'.repeat(50_000)}`, '"'.repeat(50_000)],
])("reads a TXT record as a resolver writes it: %.40s", async (data, text) => {
  vi.stubGlobal("fetch", async () => Response.json({ Status: 0, Answer: [{ type: 16, TTL: 60, data }] }));
  const answer = await resolveText("_orbweaver.site.org", "https://resolver.test/", new AbortController().signal);
  expect(answer).toEqual({ kind: "found", texts: [text] });
});

test.each([
  ["no such name", () => Response.json({ Status: 3 }), { kind: "found", texts: [] }],
  ["a failure", () => Response.json({ Status: 2 }), { kind: "unanswered", why: "its code is 2" }],
  ["no JSON", () => new Response("", { status: 502 }), { kind: "unanswered", why: "it answered 502" }],
])("says what %s means", async (_, answer, expected) => {
  vi.stubGlobal("fetch", async () => answer());
  const { signal } = new AbortController();
  expect(await resolveText("_orbweaver.site.org", "https://resolver.test/", signal)).toEqual(expected);
});
