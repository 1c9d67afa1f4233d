import fc from "fast-check";
import { expect, test } from "vitest";
import { memoizeCanonicalize } from "../../../src/url/canonical-memo.ts";
import { canonicalize } from "../../../src/url/canonicalize.ts";

test("gives the answers of canonicalize, whatever its size", () => {
  const href = fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.constantFrom("a", "/b?utm_source=x", "http://[", "mailto:x"),
  );
  const base = fc.constantFrom("https://a.test/x/y", "http://b.test/");
  fc.assert(
    fc.property(fc.array(fc.tuple(href, base), { maxLength: 40 }), fc.integer({ min: 1, max: 3 }), (links, most) => {
      const memoized = memoizeCanonicalize(most);
      for (const [link, from] of [...links, ...links]) expect(memoized(link, from)).toBe(canonicalize(link, from));
    }),
  );
});
