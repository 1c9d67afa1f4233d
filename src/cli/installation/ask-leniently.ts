import { connect, type LookupFunction } from "node:net";
import { connect as connectTls } from "node:tls";
import { NoAnswer, type RawAnswer, readRawAnswer } from "./raw-answer.ts";

/** Sends one GET and reads whatever comes, for an answer that workerd has refused; see diagnosis.ts. */

/** A URL to connect to. */
export interface DiagnosedRequest {
  url: string;
  /** Where its host may be, as the Worker has looked it up; null for wherever the machine finds it. */
  addresses: string[] | null;
}

export interface LenientRequest extends DiagnosedRequest {
  headers: Record<string, string>;
  /** The caller waits for so long, in milliseconds. */
  timeoutMs: number;
}

/** For the whole answer: less than HEADERS_TIMEOUT_MS of src/fetch/transport/http.ts, so that what has come is kept. */
const ANSWER_TIMEOUT_MS = 15_000;
/** The part of the caller's time after which the connection ends, so that it never outlives its turn at the host. */
const OWN_PART = 0.9;
/** We ask the server to close the connection. One that keeps it open and is silent for so long sends no more. */
const SERVER_SILENCE_MS = 3_000;
/** More than any body that a crawl keeps. */
const MAX_BYTES = 12 * 1024 * 1024;

/** They would begin another header. */
const LINE_BREAKS = /[\r\n\0]/g;

/** Throws UnreadableAnswer and NoAnswer. */
export async function askLeniently({ url, headers, timeoutMs, addresses }: LenientRequest): Promise<RawAnswer> {
  const { hostname, port, protocol, host, pathname, search } = new URL(url);
  const isSecure = protocol === "https:";
  const name = hostname.replace(/^\[|\]$/g, "");
  const at = { host: name, port: Number(port) || (isSecure ? 443 : 80), ...onlyTo(addresses) };
  const fields = { host, ...headers, "accept-encoding": "identity", connection: "close" };
  // If a name occurs in two spellings, the last value counts, as in the first request.
  const sent = new Map(Object.entries(fields).map(([key, value]) => [key.toLowerCase(), value]));
  const head = Array.from(sent, ([key, value]) => `${key}: ${value.replace(LINE_BREAKS, " ")}\r\n`);
  const { raw, isCut } = await new Promise<{ raw: Buffer; isCut: boolean }>((resolve, reject) => {
    const socket = isSecure ? connectTls({ ...at, servername: serverNameOf(name) }) : connect(at);
    const chunks: Buffer[] = [];
    let length = 0;
    const end = (isCut: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ raw: Buffer.concat(chunks), isCut });
    };
    const cut = () => end(true);
    const timer = setTimeout(cut, Math.min(ANSWER_TIMEOUT_MS, OWN_PART * timeoutMs));
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      socket.setTimeout(SERVER_SILENCE_MS);
      if (length > MAX_BYTES) cut();
    });
    socket.once("timeout", cut);
    socket.once("close", () => end(false));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      // What came before is an answer, or shows what was wrong with it.
      if (length > 0) return cut();
      clearTimeout(timer);
      const detail = `the host broke the connection off without an answer (${error.code ?? "no code"})`;
      reject(new NoAnswer("dropped", detail));
    });
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${head.join("")}\r\n`);
  });
  return readRawAnswer(raw, isCut);
}

/** The name that a TLS client sends; empty for an address. */
export function serverNameOf(host: string): string {
  return /^[\d.]+$/.test(host) || host.includes(":") ? "" : host;
}

/**
 * The option of a connection that goes to one of these addresses alone, whatever the name resolves to by now. An
 * address as host is not looked up, and the Worker has checked it.
 */
export function onlyTo(addresses: string[] | null): { lookup?: LookupFunction } {
  if (addresses === null) return {};
  const found = addresses.map((address) => ({
    address: address.replace(/^\[|\]$/g, ""),
    family: address.startsWith("[") ? 6 : 4,
  }));
  const lookup: LookupFunction = (hostname, { all }, callback) => {
    const [first] = found;
    if (first === undefined) {
      const error = Object.assign(new Error(`no address of ${hostname} may be asked`), { code: "ENOTFOUND" });
      callback(error, all ? [] : "");
    } else if (all) callback(null, found);
    else callback(null, first.address, first.family);
  };
  return { lookup };
}
