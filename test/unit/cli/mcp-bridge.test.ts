import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { UserError } from "../../../src/cli/errors.ts";
import { bridge, type Send } from "../../../src/cli/mcp-bridge.ts";

/** Lines of standard input become requests, and answers become lines of standard output. */

type Sent = { message: string; headers: Record<string, string> };

/** `answer`: of each message. */
async function carry(lines: string[], answer: (message: string) => Response | Promise<Response>) {
  const input = new PassThrough();
  const output = new PassThrough();
  const sent: Sent[] = [];
  const send: Send = async (message, { headers, signal }, read) => {
    sent.push({ message, headers });
    const aborted = new Promise<never>((_, reject) =>
      signal.addEventListener("abort", () => reject(new Error("aborted"))),
    );
    await read(await Promise.race([answer(message), aborted]));
  };
  const written = text(output);
  input.end(lines.map((line) => `${line}\n`).join(""));
  await bridge(input, output, send, new AbortController().signal);
  output.end();
  const answers = (await written).split("\n").filter((line) => line !== "");
  return { sent, answers: answers.map((line) => JSON.parse(line)) };
}

const request = (id: number, method = "tools/list", params?: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const json = (value: unknown, status = 200) => Response.json(value, { status });

test("an answer in JSON and one in a stream are a line each; a stream may have several", async () => {
  const stream = 'data: {"method":"notifications/progress"}\n\ndata: {"id":2,\ndata: "result":{}}\n\n';
  const { answers } = await carry([request(1), "", request(2)], (message) =>
    message.includes('"id":1')
      ? new Response('{"id":1,\n"result":"x"}', { headers: { "content-type": "application/json" } })
      : new Response(stream, { headers: { "content-type": "text/event-stream" } }),
  );
  expect(answers).toHaveLength(3);
  expect(answers).toEqual(
    expect.arrayContaining([{ id: 1, result: "x" }, { method: "notifications/progress" }, { id: 2, result: {} }]),
  );
});

test("a notification has no answer, not even where it is refused", async () => {
  const notification = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
  const { sent, answers } = await carry([notification], () => json({ error: "x" }, 202));
  expect([sent.length, answers]).toEqual([1, []]);
});

const modern = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } };

test.each<[unknown, Record<string, string>]>([
  [{}, {}],
  [modern, { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call" }],
  [
    { ...modern, name: "read" },
    { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "read" },
  ],
  [
    { ...modern, name: "größe" },
    { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "=?base64?Z3LDtsOfZQ==?=" },
  ],
])("the headers of %j", async (params, headers) => {
  const { sent } = await carry([request(1, "tools/call", params)], () => json({ id: 1, result: {} }));
  expect(sent[0]?.headers).toEqual(headers);
});

test("a line that is no message is answered as such", async () => {
  const { sent, answers } = await carry(["nonsense", "[1]", "null"], () => json({}));
  expect(sent).toEqual([]);
  expect(answers.map(({ id, error }) => [id, error.code])).toEqual(Array(3).fill([null, -32_700]));
});

test("where the installation does not answer, a tool's result says so, and for the rest an error", async () => {
  const { answers } = await carry([request(1, "tools/call"), request(2, "initialize")], () => {
    throw new UserError("Process 7 is working in .orbweaver.");
  });
  expect(answers).toEqual([
    {
      jsonrpc: "2.0",
      id: 1,
      result: { content: [{ type: "text", text: "Process 7 is working in .orbweaver." }], isError: true },
    },
    { jsonrpc: "2.0", id: 2, error: { code: -32_603, message: "Process 7 is working in .orbweaver." } },
  ]);
});

test("a request that the client cancels gets no answer, and the others do", async () => {
  const cancel = JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  const { sent, answers } = await carry([request(1), request(2), cancel], (message) =>
    message.includes('"id":1') ? new Promise<Response>(() => undefined) : json({ id: 2, result: {} }),
  );
  expect([sent.length, answers]).toEqual([2, [{ id: 2, result: {} }]]);
});

test("after a stop the requests under way are answered", async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const stop = new AbortController();
  let release: (response: Response) => void = () => undefined;
  const held = new Promise<Response>((resolve) => {
    release = resolve;
  });
  let isAsked: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const ended = bridge(
    input,
    output,
    async (_, __, read) => {
      isAsked();
      await read(await held);
    },
    stop.signal,
  );
  input.write(`${request(1)}\n`);
  await asked;
  stop.abort();
  release(json({ id: 1, result: {} }));
  await ended;
  expect(String(output.read())).toBe('{"id":1,"result":{}}\n');
});
