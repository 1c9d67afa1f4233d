import { lookup, resolveTxt } from "node:dns/promises";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { freeBytesOf } from "../machine/disk.ts";
import { askLeniently, type DiagnosedRequest, type LenientRequest, onlyTo, serverNameOf } from "./ask-leniently.ts";
import { NoAnswer, UnreadableAnswer } from "./raw-answer.ts";
import { escapeLocation } from "./raw-location.ts";

/**
 * Finds out why a request failed. workerd reports an unresolved name, a refused connection and a bad certificate only
 * in its own log, so the Worker asks here once per failed request; see DIAGNOSIS in src/env.d.ts. It refuses malformed
 * answers without a word, so the Worker has them asked for again, in another turn of the host's gate.
 */

export interface Diagnosis {
  reason: "dns" | "connection" | "tls" | "timeout" | "private-address" | "parse";
  detail: string;
}

/** As src/fetch/transport/resolver.ts has it: IPv6 addresses are in brackets. */
type Resolution = { kind: "found"; addresses: string[] } | { kind: "none" } | { kind: "unanswered"; why: string };

type TextResolution = { kind: "found"; texts: string[] } | { kind: "unanswered"; why: string };

const DIAGNOSIS_TIMEOUT_MS = 5_000;

export interface DiagnosisRequest {
  url: string;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** Starts the fetcher process (machine/fetcher-process.ts), and says for how long it may be used, in milliseconds. */
export interface FetcherStart {
  ask(): Promise<number>;
  /** Ends it. The next `ask` starts it again. */
  dispose(): Promise<void>;
}

/**
 * Answers `GET /disk` with what is free on the disk of the state folder, `POST /answer` as
 * src/fetch/transport/get-leniently.ts expects, `GET /location` with the escaped bytes of its Location header,
 * `POST /name` and `POST /text` as src/fetch/transport/host-addresses.ts expects, `POST /fetcher` and
 * `POST /fetcher/end` as src/fetch/fetcher-process/fetch-beside.ts does, and any other request with a diagnosis of its
 * URL.
 */
export async function serveDiagnosis(
  request: DiagnosisRequest,
  state: string,
  fetcher: FetcherStart | null = null,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/fetcher") return Response.json({ leaseMs: fetcher === null ? null : await fetcher.ask() });
  if (pathname === "/fetcher/end") {
    await fetcher?.dispose();
    return new Response(null, { status: 204 });
  }
  if (pathname === "/disk") return Response.json({ freeBytes: await freeBytesOf(state) });
  if (pathname === "/location") return new Response(escapeLocation(request.headers.get("location") ?? ""));
  const body = await request.text();
  if (pathname === "/name") return Response.json(await resolveName(body));
  if (pathname === "/text") return Response.json(await resolveTexts(body));
  if (pathname !== "/answer") return Response.json(await diagnose(JSON.parse(body) as DiagnosedRequest));
  const asked = JSON.parse(body) as LenientRequest;
  try {
    const { body: content, ...head } = await askLeniently(asked);
    return new Response(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), content]));
  } catch (error) {
    return new Response(`${JSON.stringify(await explainLenient(asked, error))}\n`);
  }
}

/** The addresses of a name. `none`: there is no such name, or it has no address. */
export async function resolveName(hostname: string): Promise<Resolution> {
  try {
    const found = await lookup(hostname, { all: true });
    const addresses = found.map(({ address, family }) => (family === 6 ? `[${address}]` : address));
    return { kind: "found", addresses };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOTFOUND" ? { kind: "none" } : { kind: "unanswered", why: message };
  }
}

/** The TXT records of a name, none if there is no such name. */
async function resolveTexts(name: string): Promise<TextResolution> {
  try {
    return { kind: "found", texts: (await resolveTxt(name)).map((strings) => strings.join("")) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOTFOUND" || code === "ENODATA"
      ? { kind: "found", texts: [] }
      : { kind: "unanswered", why: message };
  }
}

/** Why a lenient request got no answer that can be read: `dropped` if the host is up and breaks the connection off. */
async function explainLenient(
  asked: DiagnosedRequest,
  error: unknown,
): Promise<{ unreadable: string; detail: string }> {
  if (error instanceof UnreadableAnswer) return { unreadable: "parse", detail: error.message };
  if (!(error instanceof NoAnswer)) throw error;
  const found = error.reason === "dropped" ? await diagnose(asked) : null;
  const { reason, detail } = found ?? { reason: error.reason, detail: error.message };
  return { unreadable: reason, detail };
}

/**
 * Tries the name, the connection and the TLS handshake. Null if all succeed: the failure has another cause, or is over.
 */
export async function diagnose({ url, addresses }: DiagnosedRequest): Promise<Diagnosis | null> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const secure = protocol === "https:";
  const portNumber = Number(port) || (secure ? 443 : 80);
  try {
    await lookup(host);
  } catch {
    return { reason: "dns", detail: `there is no host ${host}; check the spelling` };
  }
  return new Promise((resolve) => {
    const options = { host, port: portNumber, timeout: DIAGNOSIS_TIMEOUT_MS, ...onlyTo(addresses) };
    const socket = secure ? connectTls({ ...options, servername: serverNameOf(host) }) : connect(options);
    const end = (diagnosis: Diagnosis | null) => {
      socket.destroy();
      resolve(diagnosis);
    };
    socket.once(secure ? "secureConnect" : "connect", () => end(null));
    socket.once("timeout", () => end({ reason: "timeout", detail: `${host}:${portNumber} does not answer` }));
    socket.once("error", (error: NodeJS.ErrnoException) => end(explain(error, host, portNumber)));
  });
}

/** Codes of certificates that nobody known has signed: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const UNTRUSTED: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);
const TRUST = "if you trust it, name a file with it, or with its authority, in NODE_EXTRA_CA_CERTS";

export function explain(error: NodeJS.ErrnoException, host: string, port: number): Diagnosis {
  const where = `${host}:${port}`;
  switch (error.code) {
    case "ECONNREFUSED":
      return { reason: "connection", detail: `${where} refused the connection; check that a server is running there` };
    case "ECONNRESET":
      return { reason: "connection", detail: `${where} dropped the connection` };
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return { reason: "connection", detail: `${where} is unreachable` };
    default: {
      const advice = UNTRUSTED.has(error.code ?? "") ? `; ${TRUST}` : "";
      return { reason: "tls", detail: `${where}: ${error.message} (${error.code ?? "no code"})${advice}` };
    }
  }
}
