import { expect, test } from "vitest";
import { readSubmission } from "../../../src/crawl/watch/submission.ts";

/** What an owner may submit by IndexNow: https://www.indexnow.org/documentation */

const KEY = "0123-abcdEF";
const read = (changes: Partial<Parameters<typeof readSubmission>[0]>) =>
  readSubmission({ host: null, key: KEY, keyLocation: null, urls: ["https://a.test/x"], ...changes });

test("a submission is canonical, and its key file is in the root folder", () => {
  const urls = ["https://A.test/x#part", "https://a.test/x", "https://a.test/%7Ey"];
  expect(read({ host: "A.TEST", urls })).toEqual({
    host: "a.test",
    key: KEY,
    location: `https://a.test/${KEY}.txt`,
    urls: ["https://a.test/x", "https://a.test/~y"],
  });
});

test("a host may have a port", () => {
  expect(read({ host: "a.test:8080", urls: ["http://a.test:8080/"] })).toMatchObject({ host: "a.test:8080" });
  expect(read({ host: "a.test", urls: ["http://a.test:8080/"] })).toHaveProperty("problem");
});

test("a key file in a folder is for the URLs of that folder", () => {
  const keyLocation = "https://a.test/shop/key.txt";
  expect(read({ keyLocation, urls: ["https://a.test/shop/1"] })).toMatchObject({ location: keyLocation });
  expect(read({ keyLocation, urls: ["https://a.test/shop/1", "https://a.test/2"] })).toHaveProperty("problem");
});

test.each<[name: string, changes: Partial<Parameters<typeof readSubmission>[0]>]>([
  ["no URL", { urls: [] }],
  ["what is no URL", { urls: ["https://a.test/", "mailto:me@a.test"] }],
  ["a URL of another host", { urls: ["https://a.test/", "https://b.test/"] }],
  ["a host that is not that of its URLs", { host: "b.test" }],
  ["what is no host", { host: "a.test/x@b.test" }],
  ["a key that is too short", { key: "1234567" }],
  ["a key that is too long", { key: "a".repeat(129) }],
  ["a key that is a path", { key: "../../secret" }],
  ["a key file on another host", { keyLocation: "https://b.test/key.txt" }],
  ["a key file on another port", { keyLocation: "https://a.test:8443/key.txt" }],
  ["a key file that is found by a query", { keyLocation: "https://a.test/find?text=0123-abcdEF" }],
  ["a key file that is no URL", { keyLocation: "key" }],
])("a submission with %s is refused", (_, changes) => {
  expect(read(changes)).toHaveProperty("problem");
});
