import { expect, it } from "vitest";
import type { NoticeRequest } from "../../src/fetch/request/post-notice.ts";
import { makeSecret, signedHeaders } from "../../src/notices/notice-signature.ts";
import { postAlarm } from "../../src/notices/post-alarm.ts";

const ALARM = {
  id: "msg_room3filling",
  level: "filling",
  room: { bytes: 455_000_000, limitBytes: 500_000_000, diskFreeBytes: null },
  text: "Orbweaver: the database is nearly full.",
  at: Date.UTC(2031, 0, 1),
} as const;

async function post(alarm: { url: string; secret: string | null } | null, detail: string | null = null) {
  const sent: NoticeRequest[] = [];
  const postNotice = async (request: NoticeRequest) => {
    sent.push(request);
    return { status: detail === null ? 204 : 500, retryAfterMs: null, detail };
  };
  return { failure: await postAlarm(ALARM, { alarm, postNotice }), sent };
}

it("tells nobody without an address", async () => {
  expect(await post(null)).toEqual({ failure: null, sent: [] });
});

it("has a text for chat services, and facts for programs", async () => {
  const { failure, sent } = await post({ url: "https://alarm.test/", secret: null });
  expect(failure).toBeNull();
  expect(sent).toHaveLength(1);
  expect(sent[0]?.headers["webhook-id"]).toBe(ALARM.id);
  expect(sent[0]?.headers).not.toHaveProperty("webhook-signature");
  expect(JSON.parse(sent[0]?.body ?? "")).toEqual({
    type: "database.room",
    timestamp: "2031-01-01T00:00:00.000Z",
    text: ALARM.text,
    data: { level: "filling", bytes: 455_000_000, limitBytes: 500_000_000, percent: 91 },
  });
});

it("is signed with the secret", async () => {
  const secret = makeSecret();
  const { sent } = await post({ url: "https://alarm.test/", secret });
  const { headers = {}, body = "" } = sent[0] ?? {};
  const timestampS = Number(headers["webhook-timestamp"]);
  expect(headers).toMatchObject(await signedHeaders(secret, { id: ALARM.id, timestampS, body }));
});

it("says why it was not delivered", async () => {
  expect((await post({ url: "https://alarm.test/", secret: null }, "it answered 500")).failure).toBe("it answered 500");
});
