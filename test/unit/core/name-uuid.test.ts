import fc from "fast-check";
import { expect, test } from "vitest";
import { nameUuid } from "../../../src/core/name-uuid.ts";

const DNS = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";

test("gives the UUID of RFC 9562, appendix A.4", () => {
  expect(nameUuid(DNS, "www.example.com")).toBe("2ed6657d-e927-568b-95e1-2665a8aea6a2");
});

test("is a UUID of version 5 that follows from both, and from nothing else", () => {
  fc.assert(
    fc.property(fc.uuid(), fc.webUrl(), fc.webUrl(), (crawl, url, other) => {
      const id = nameUuid(crawl, url);
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(nameUuid(crawl, url)).toBe(id);
      expect(nameUuid(crawl, other) === id).toBe(url === other);
      expect(nameUuid(DNS, url) === id).toBe(crawl === DNS);
    }),
  );
});
