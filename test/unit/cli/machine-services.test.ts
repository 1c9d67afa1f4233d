import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { serveMachine } from "../../../src/cli/machine/machine-services.ts";

/** What workerd asks of the host process, here as miniflare's Workers ask. */

const SECRET = "secret";
const services = {
  ECHO: async ({
    url,
    headers,
    text,
  }: {
    url: string;
    headers: { get(name: string): string | null };
    text(): Promise<string>;
  }) => new Response(`${new URL(url).pathname} ${headers.get("x-more")} ${await text()}`, { status: 201 }),
  FAILS: () => Promise.reject(new Error("it fails")),
};
let machine: Awaited<ReturnType<typeof serveMachine>>;

beforeAll(async () => {
  machine = await serveMachine(services, SECRET);
});
afterAll(() => machine.close());

async function ask(path: string, headers: Record<string, string>, body = ""): Promise<[status: number, text: string]> {
  const answer = await fetch(`http://127.0.0.1:${machine.port}${path}`, { method: "POST", headers, body });
  return [answer.status, await answer.text()];
}

const secret = { "MF-Loopback-Secret": SECRET };

test.each([
  ["nobody without the secret", "/", { "MF-Custom-Fetch-Service": "0/#ECHO" }, 403, ""],
  ["a service", "/name", { ...secret, "MF-Custom-Fetch-Service": "0/#ECHO", "X-More": "more" }, 201, "/name more body"],
  ["what failed", "/", { ...secret, "MF-Custom-Fetch-Service": "0/#FAILS" }, 500, "Error: it fails"],
  ["no service of another name", "/", { ...secret, "MF-Custom-Fetch-Service": "0/#OTHER" }, 404, ""],
  ["nothing else", "/core/do-storage", secret, 404, ""],
])("answers %s", async (_, path, headers, status, text) => {
  expect(await ask(path, headers, "body")).toEqual([status, text]);
});

test("ends no connection that workerd may use again", async () => {
  const { headers } = await fetch(`http://127.0.0.1:${machine.port}/`, { headers: secret });
  expect(headers.get("keep-alive")).toBeNull();
});

test("prints warnings and errors of the simulators", async () => {
  const printed = vi.spyOn(console, "error").mockReturnValue();
  for (const level of [1, 2, 3])
    expect((await ask("/core/log", { ...secret, "MF-Log-Level": `${level}` }, `level ${level}`))[0]).toBe(204);
  expect((await ask("/core/error", secret, "an exception"))[0]).toBe(500);
  expect(printed.mock.calls.flat()).toEqual(["level 1", "level 2", "an exception"]);
  printed.mockRestore();
});
