import { lookup } from "node:dns/promises";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";

/**
 * Says why a request failed. workerd tells a name that does not resolve, a refused connection and a bad certificate apart only in its
 * own log, so the Worker asks here, once per failed request; see DIAGNOSIS in src/env.d.ts.
 */

export interface Diagnosis {
  reason: "dns" | "connection" | "tls" | "timeout";
  detail: string;
}

const TIMEOUT_MS = 5_000;

/** Tries name, connection and handshake in turn. Null when all of them succeed: the failure lay elsewhere, or has passed. */
export async function diagnose(url: string): Promise<Diagnosis | null> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const secure = protocol === "https:";
  const portNumber = Number(port) || (secure ? 443 : 80);
  try {
    await lookup(host);
  } catch {
    return { reason: "dns", detail: `no such host as ${host}; check the spelling` };
  }
  return new Promise((resolve) => {
    const options = { host, port: portNumber, timeout: TIMEOUT_MS };
    const socket = secure ? connectTls({ ...options, servername: isName(host) ? host : "" }) : connect(options);
    const end = (diagnosis: Diagnosis | null) => {
      socket.destroy();
      resolve(diagnosis);
    };
    socket.once(secure ? "secureConnect" : "connect", () => end(null));
    socket.once("timeout", () => end({ reason: "timeout", detail: `${host}:${portNumber} does not answer` }));
    socket.once("error", (error: NodeJS.ErrnoException) => end(explain(error, host, portNumber)));
  });
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Diagnosis {
  const where = `${host}:${port}`;
  switch (error.code) {
    case "ECONNREFUSED":
      return { reason: "connection", detail: `${where} refused the connection; is a server running there?` };
    case "ECONNRESET":
      return { reason: "connection", detail: `${where} dropped the connection` };
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return { reason: "connection", detail: `${where} is unreachable` };
    default:
      return { reason: "tls", detail: `${where}: ${error.message} (${error.code ?? "no code"})` };
  }
}

function isName(host: string): boolean {
  return !/^[\d.]+$/.test(host) && !host.includes(":");
}
