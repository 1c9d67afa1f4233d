import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CHANGE_KINDS, type TitledChange } from "../../../src/crawl/watch/watch.ts";
import { toChangeMessages } from "../../../src/notices/change-messages.ts";

/** Changes of a watch as messages to a webhook. */

const CRAWL = "6f0b1c8e-7f53-4a53-9c5e-0f4f3c1b2a10";
const WEBHOOK = "0badcafe-0000-4000-8000-000000000000";
const NOW = Date.UTC(2026, 10, 22, 9, 30);

function changed(seq: number, changes: Partial<TitledChange> = {}): TitledChange {
  return { seq, url: `https://a.test/${seq}`, kind: "changed", at: NOW - 1_000, detail: null, title: "T", ...changes };
}
const from = (first: number, most: number) => Array.from({ length: most }, (_, i) => changed(first + i));
const messagesOf = (changes: readonly TitledChange[], most = 5) =>
  toChangeMessages({ crawl: CRAWL, webhook: WEBHOOK }, changes, most, NOW).map(({ id, body, to }) => ({
    id,
    to,
    length: body.length,
    message: JSON.parse(body) as { type: string; timestamp: string; data: { crawl: string; changes: TitledChange[] } },
  }));

describe("a message of changes", () => {
  test("says of each change what the API says, and where a page moved", () => {
    const moved = changed(8, { kind: "moved", detail: "to https://a.test/new, which scope refuses: off-host" });
    const [only] = messagesOf([changed(7, { detail: "to https://a.test/x" }), moved]);
    expect(only?.message).toEqual({
      type: "pages.changed",
      timestamp: "2026-11-22T09:30:00.000Z",
      data: {
        crawl: CRAWL,
        changes: [
          {
            seq: 7,
            kind: "changed",
            url: "https://a.test/7",
            target: null,
            at: "2026-11-22T09:29:59.000Z",
            title: "T",
            detail: "to https://a.test/x",
          },
          {
            seq: 8,
            kind: "moved",
            url: "https://a.test/8",
            target: "https://a.test/new",
            at: "2026-11-22T09:29:59.000Z",
            title: "T",
            detail: moved.detail,
          },
        ],
      },
    });
  });

  test("has an id that follows from the time, its first change and the webhook", () => {
    const ids = messagesOf(from(1, 250)).map(({ id }) => id);
    expect(ids).toEqual(
      [1, 101, 201].map(
        (seq) => `msg_${NOW.toString(16).padStart(12, "0")}${seq.toString(16).padStart(8, "0")}0badcafe`,
      ),
    );
    expect(ids.toSorted()).toEqual(ids);
  });

  test("has at most a hundred changes, and there are at most so many messages as were asked for", () => {
    expect(messagesOf(from(1, 730)).map(({ message, to }) => [message.data.changes.length, to])).toEqual([
      [100, 100],
      [100, 200],
      [100, 300],
      [100, 400],
      [100, 500],
    ]);
    expect(messagesOf([])).toEqual([]);
  });

  test("stays small although its changes are large", () => {
    const large = Array.from({ length: 40 }, (_, i) => changed(i + 1, { detail: `"${"x".repeat(20_000)}` }));
    const messages = messagesOf(large, 100);
    expect(Math.max(...messages.map(({ length }) => length))).toBeLessThan(130_000);
    expect(messages.flatMap(({ message }) => message.data.changes.map(({ seq }) => seq))).toEqual(
      large.map(({ seq }) => seq),
    );
    // A single change that is too large has a message of its own.
    expect(
      messagesOf([changed(1), changed(2, { detail: "x".repeat(200_000) }), changed(3)]).map(({ to }) => to),
    ).toEqual([1, 2, 3]);
  });
});

test("whatever the changes, each is in exactly one message, in order", () => {
  const change = fc.record({
    url: fc.webUrl(),
    kind: fc.constantFrom(...CHANGE_KINDS),
    at: fc.nat(NOW),
    detail: fc.option(fc.nat(30_000).map((length) => "x".repeat(length))),
    title: fc.option(fc.string()),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 300 }), fc.nat(1_000), (list, after) => {
      const changes = list.map((each, i) => ({ ...each, seq: after + 1 + i }));
      const messages = messagesOf(changes, 1_000);
      expect(messages.flatMap(({ message }) => message.data.changes.map(({ seq }) => seq))).toEqual(
        changes.map(({ seq }) => seq),
      );
      expect(messages.map(({ to }) => to)).toEqual(messages.map(({ message }) => message.data.changes.at(-1)?.seq));
      expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
    }),
    { numRuns: 30 },
  );
});
