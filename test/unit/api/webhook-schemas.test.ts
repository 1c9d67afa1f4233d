import { describe, expect, test } from "vitest";
import { crawlRequest, toOptions } from "../../../src/api/crawls/crawl-request.ts";
import { isSecret } from "../../../src/notices/notice-signature.ts";

/** A webhook in the request that starts a crawl. */

const INSTALLATION = {
  userAgent: "Test/1",
  store: "warc",
  maxCostUsd: 0,
  documents: [],
  privateAccess: "none",
  allowAddresses: true,
} as const;
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const webhookOf = (webhook: unknown) =>
  toOptions(crawlRequest.parse({ url: "https://a.test/", webhook }), INSTALLATION).webhook;

test("may be a URL alone, and gets an id and a secret", () => {
  const webhook = webhookOf(" https://receiver.test/Hook?a=1 ");
  expect(webhook).toMatchObject({ url: "https://receiver.test/Hook?a=1", events: null });
  expect(isSecret(webhook?.secret ?? "")).toBe(true);
  expect(webhookOf("https://receiver.test/")?.id).not.toBe(webhook?.id);
});

test("may have events and a secret", () => {
  const order = { url: "https://receiver.test/", events: ["crawl.paused"], secret: SECRET };
  expect(webhookOf(order)).toMatchObject(order);
});

test("may be absent", () => {
  expect(webhookOf(undefined)).toBeNull();
});

describe("is refused", () => {
  test.each([
    ["with another scheme", "ftp://receiver.test/", "webhook", "http or https"],
    ["with a password in its URL", "https://me:secret@receiver.test/", "webhook", "without user name and password"],
    ["without a host", "https://", "webhook", "http or https"],
    ["with a private address", "http://127.0.0.1:8080/", "webhook", "private address"],
    ["with a private address in an object", { url: "http://[::1]/" }, "webhook.url", "private address"],
  ])("%s", (_, webhook, path, words) => {
    expect(() => webhookOf(webhook)).toThrow(
      expect.objectContaining({ path, message: expect.stringContaining(words) }),
    );
  });

  test.each([
    ["resend", { authorization: "Bearer re_1" }, "X-Key"],
    ["postmark", { "X-Postmark-Server-Token": "1" }, "Authorization"],
    ["mailgun", { Authorization: "Basic eA==" }, "X-Key"],
  ])("by %s without its key", (format, headers, other) => {
    const mail = { url: "https://receiver.test/", format, from: "a@a.test", to: ["b@b.test"] };
    expect(webhookOf({ ...mail, headers })).toMatchObject({ style: { format } });
    const refused = expect.objectContaining({ path: "webhook.headers", message: expect.stringContaining("its key") });
    expect(() => webhookOf(mail)).toThrow(refused);
    expect(() => webhookOf({ ...mail, headers: { [other]: "1" } })).toThrow(refused);
  });

  test.each([
    ["with an unknown event", { url: "https://a.test/", events: ["crawl.done"] }, "events.0"],
    ["without events", { url: "https://a.test/", events: [] }, "events"],
    ["with a short secret", { url: "https://a.test/", secret: "whsec_AAAA" }, "a secret is whsec_"],
    ["with a number", 5, "give a URL, or an object"],
    ["with a typo", { url: "https://a.test/", event: [] }, "did you mean events?"],
  ])("%s", (_, webhook, words) => {
    const { error } = crawlRequest.safeParse({ url: "https://a.test/", webhook });
    const { path, message } = error?.issues[0] ?? { path: [], message: "" };
    expect(`${path.join(".")}: ${message}`).toContain(words);
  });
});

test("a watch without a page limit is none of ten pages", () => {
  const limitOf = (more: object) =>
    toOptions(crawlRequest.parse({ url: "https://a.test/", ...more }), INSTALLATION).limit;
  const watch = { everyS: 86_400 };
  expect([limitOf({}), limitOf({ watch }), limitOf({ watch, limit: 10 })]).toEqual([10, 1_000, 10]);
});
