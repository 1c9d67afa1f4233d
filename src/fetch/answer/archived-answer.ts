import type { Answered, Capture, PageHeaders, PageRedirected, PageRejected } from "../../crawl/page/outcome.ts";
import type { Truncation } from "../../crawl/truncation.ts";
import { Deadline } from "../transport/deadline.ts";
import { BODILESS } from "../transport/get-leniently.ts";
import { type FetchEnv, NetworkFailure } from "../transport/http.ts";
import { decideAnswer, reject } from "./answer.ts";
import type { Readable } from "./readable.ts";

/** An answer that an archive has. It is decided on and read as one that has just come. */
export interface ArchivedAnswer {
  status: number;
  statusText: string;
  /** With the content codings that are still in the body. */
  headers: PageHeaders;
  body: Uint8Array<ArrayBuffer>;
  /** When it was fetched: milliseconds since the epoch. */
  date: number;
  /** Why the archive is known to lack a part of the body; null if it is not. */
  truncated: Truncation | null;
}

/** A part of a file is no whole page. */
const PARTIAL = 206;

/** As `ask`, for an answer that is there. */
export async function answerOfArchive<T extends Answered>(
  request: { url: string; timeoutMs: number },
  answer: ArchivedAnswer,
  env: FetchEnv,
  read: (readable: Readable) => Promise<T>,
  keep?: (readable: Readable) => Promise<Capture | null>,
): Promise<T | PageRedirected | PageRejected> {
  const { status, statusText } = answer;
  // The runtime has no such answers, and some servers refuse crawlers with 999.
  if (status < 200 || status > 599) {
    const detail = `${status} ${statusText}`.trim();
    const contentType = answer.headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? null;
    return reject("http-status", detail, { httpStatus: status, contentType, durationMs: 0 });
  }
  const readable = readableOf(answer, request.timeoutMs);
  try {
    return await decideAnswer(request.url, readable, env, read, keep);
  } catch (error) {
    if (!(error instanceof NetworkFailure)) throw error;
    return reject(error.reason, error.message, { httpStatus: status, durationMs: 0 });
  } finally {
    readable.deadline.stop();
  }
}

function readableOf(
  { status, statusText, headers, body, date, truncated }: ArchivedAnswer,
  timeoutMs: number,
): Readable {
  const deadline = new Deadline(timeoutMs);
  const missing = truncated ?? (status === PARTIAL ? "unspecified" : null);
  return {
    response: new Response(BODILESS.has(status) ? null : body, {
      status,
      statusText: statusText.replace(/[^\t\x20-\x7e\x80-\xff]/g, " "),
      headers: headersOf(headers, body),
    }),
    startedAt: date,
    received: { bytes: 0 },
    signal: deadline.signal,
    deadline,
    ...(missing === null ? {} : { truncated: missing }),
  };
}

/**
 * A field that the runtime refuses loses what it refuses. The length is that of the body that is there; that of a body
 * that was left out stays, because it says that the body is too large.
 */
function headersOf(fields: PageHeaders, body: Uint8Array): Headers {
  const headers = new Headers();
  for (const [name, value] of fields) {
    if (name.toLowerCase() === "content-length" && body.byteLength > 0) continue;
    try {
      headers.append(name, value);
    } catch {
      headers.append(name, value.replace(/[^\t\x20-\x7e]/g, "?"));
    }
  }
  if (body.byteLength > 0) headers.set("content-length", String(body.byteLength));
  return headers;
}
