import { expect, test } from "vitest";
import { toSeedUrl } from "../../../src/cli/flags/seed-url.ts";

test.each([
  ["a.test/x@y", "https://a.test/x@y"],
  ["127.0.0.1:8080", "http://127.0.0.1:8080"],
  ["http://a.test/", "http://a.test/"],
])("completes a URL: %s", (typed, url) => expect(toSeedUrl(typed)).toBe(url));

test.each(["http://me:secret@a.test/", "me:secret@a.test", "https://me@a.test/"])(
  "refuses a log-in in a URL, which would not be sent, and says what sends one: %s",
  (typed) => {
    expect(() => toSeedUrl(typed)).toThrow('--header "Authorization: Basic $(printf %s NAME:PASSWORD | base64)"');
    expect(() => toSeedUrl(typed)).not.toThrow("secret");
  },
);
