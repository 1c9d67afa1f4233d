import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { diagnose, resolveName, serveDiagnosis } from "../../../src/cli/installation/diagnosis.ts";

test("the diagnosis names the step that failed", async () => {
  expect(await diagnose({ url: "http://no-such-host.invalid/", addresses: null })).toMatchObject({ reason: "dns" });
  expect(await diagnose({ url: "http://127.0.0.1:1/", addresses: null })).toMatchObject({
    reason: "connection",
    detail: expect.stringContaining("127.0.0.1:1"),
  });
});

test("a name has the addresses that the machine knows, and none only where DNS says so", async () => {
  expect(await resolveName("no-such-host.invalid")).toEqual({ kind: "none" });
  expect(await resolveName("127.0.0.1")).toEqual({ kind: "found", addresses: ["127.0.0.1"] });
  expect(await resolveName("::1")).toEqual({ kind: "found", addresses: ["[::1]"] });
});

test("the diagnosis of a working host is null, and of a plain-text host over https a TLS failure", async () => {
  const server = createServer((socket) => socket.once("data", () => socket.end("plain text")));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  expect(await diagnose({ url: `http://127.0.0.1:${port}/`, addresses: null })).toBeNull();
  expect(await diagnose({ url: `https://127.0.0.1:${port}/`, addresses: null })).toMatchObject({ reason: "tls" });
  server.close();
});

test("a lenient request tells a host that drops the connection from one that refuses it", async () => {
  const server = createServer((socket) => socket.once("data", () => socket.end()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const ask = async (url: string) => {
    const text = async () => JSON.stringify({ url, headers: {}, timeoutMs: 5_000, addresses: null });
    const request = { url: "http://diagnosis/answer", headers: { get: () => null }, text };
    return (await serveDiagnosis(request, ".")).json();
  };
  expect(await ask(`http://127.0.0.1:${port}/`)).toMatchObject({ unreadable: "dropped" });
  expect(await ask("http://127.0.0.1:1/")).toMatchObject({
    unreadable: "connection",
    detail: expect.stringContaining("refused the connection"),
  });
  server.close();
});

test("a lenient request is one request, whatever its headers hold, and ends before its caller's time", async () => {
  let sent = "";
  const ended = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on("data", (bytes) => {
      sent += bytes.toString("latin1");
    });
    socket.once("close", () => ended.resolve());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  // The low bytes of these letters are CR and LF.
  const headers = { cookie: "a=\u010d\u010aGET /private HTTP/1.1", "x-own": "b\r\nGET /other HTTP/1.1" };
  const text = async () =>
    JSON.stringify({ url: `http://127.0.0.1:${port}/`, headers, timeoutMs: 300, addresses: null });
  const answer = await serveDiagnosis({ url: "http://diagnosis/answer", headers: { get: () => null }, text }, ".");
  expect(await answer.json()).toMatchObject({ unreadable: "timeout" });
  await ended.promise;
  expect(sent.split(/[\r\n]+/).filter((line) => line.startsWith("GET"))).toEqual(["GET / HTTP/1.1"]);
  server.close();
});

test("a connection goes to the addresses that the Worker has looked up, whatever the name is by now", async () => {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://localhost:${port}/`;
  expect(await diagnose({ url, addresses: null })).toBeNull();
  expect(await diagnose({ url, addresses: ["127.0.0.1"] })).toBeNull();
  expect(await diagnose({ url, addresses: ["127.0.0.9"] })).toMatchObject({ reason: "connection" });
  expect(await diagnose({ url, addresses: [] })).not.toBeNull();
  server.close();
});

test("it says what is free on the disk of the state folder", async () => {
  const request = { url: "http://diagnosis/disk", headers: { get: () => null }, text: async () => "" };
  const { freeBytes } = (await (await serveDiagnosis(request, ".")).json()) as { freeBytes: number };
  expect(Number.isSafeInteger(freeBytes) && freeBytes >= 0).toBe(true);
});
