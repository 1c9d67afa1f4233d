import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { diagnose } from "../../../src/cli/diagnosis.ts";

test("the diagnosis names the step that failed", async () => {
  expect(await diagnose("http://no-such-host.invalid/")).toMatchObject({ reason: "dns" });
  expect(await diagnose("http://127.0.0.1:1/")).toMatchObject({
    reason: "connection",
    detail: expect.stringContaining("127.0.0.1:1"),
  });
});

test("the diagnosis of a working host is null, and of a plain-text host over https a TLS failure", async () => {
  const server = createServer((socket) => socket.once("data", () => socket.end("plain text")));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  expect(await diagnose(`http://127.0.0.1:${port}/`)).toBeNull();
  expect(await diagnose(`https://127.0.0.1:${port}/`)).toMatchObject({ reason: "tls" });
  server.close();
});
