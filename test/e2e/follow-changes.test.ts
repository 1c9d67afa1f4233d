import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { start } from "./cli.ts";

/** `changes ID --follow` where changes that it has not seen were removed meanwhile. */

const change = (seq: number) => ({ seq, url: `https://a.test/${seq}`, kind: "changed", at: "2031-01-01T00:00:00Z" });
const WHY = "The cursor 1 has expired: changes after it were deleted.";

test("goes on with the oldest change that is kept, and says why", async () => {
  const asked: (string | null)[] = [];
  const server = createServer((request, response) => {
    const since = new URL(request.url ?? "", "http://api").searchParams.get("since");
    asked.push(since);
    const seq = asked.length === 1 ? 1 : 7;
    const changes = since === null ? [{ ...change(seq), detail: null }] : [];
    const isExpired = since === "1";
    response.writeHead(isExpired ? 410 : 200, { "content-type": "application/json" });
    response.end(
      JSON.stringify(
        isExpired
          ? { success: false, errors: [{ code: "cursor-expired", message: WHY }] }
          : { success: true, result: { changes, cursor: seq, hasMore: false } },
      ),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const following = start("changes", "latest", "--follow", "--remote", address, "--token", "t");
    const printed = await following.printed("https://a.test/7");
    expect(printed).toContain("https://a.test/1");
    following.child.kill("SIGINT");
    const { code, stderr } = await following.ended;
    expect([code, stderr.trim()]).toEqual([0, WHY]);
    expect(asked.slice(0, 3)).toEqual([null, "1", null]);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
