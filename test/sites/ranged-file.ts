import type { IncomingMessage, ServerResponse } from "node:http";

/** Answers a request for a range of a file, and any other with the whole file. `headers`: further ones. */
export function answerRange(
  { headers: { range } }: IncomingMessage,
  response: ServerResponse,
  file: Uint8Array,
  headers: Record<string, string>,
): void {
  const [, from = "", to = ""] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  if (from === "") return void response.writeHead(200, { ...headers, "content-length": file.byteLength }).end(file);
  const start = Number(from);
  const end = Math.min(Number(to), file.byteLength - 1);
  if (start >= file.byteLength)
    return void response.writeHead(416, { ...headers, "content-range": `bytes */${file.byteLength}` }).end();
  const part = file.subarray(start, end + 1);
  const contentRange = `bytes ${start}-${end}/${file.byteLength}`;
  response.writeHead(206, { ...headers, "content-range": contentRange, "content-length": part.byteLength }).end(part);
}
