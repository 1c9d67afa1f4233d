import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { diagnose } from "../../../src/cli/diagnosis.ts";

test("names the step that failed", async () => {
  expect(await diagnose("http://no-such-host.invalid/")).toMatchObject({ reason: "dns" });
  expect(await diagnose("http://127.0.0.1:1/")).toMatchObject({
    reason: "connection",
    detail: expect.stringContaining("127.0.0.1:1"),
  });
});

test("finds nothing wrong with a host that answers, and a TLS failure in one that does not speak it", async () => {
  const server = createServer((socket) => socket.once("data", () => socket.end("plain text")));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  expect(await diagnose(`http://127.0.0.1:${port}/`)).toBeNull();
  expect(await diagnose(`https://127.0.0.1:${port}/`)).toMatchObject({ reason: "tls" });
  server.close();
});
