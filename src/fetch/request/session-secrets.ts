import { isForHost, type SessionFacts } from "../../crawl/session.ts";
import { hostKey, hostOf } from "../../url/host-key.ts";
import { matchesHost } from "../../url/own-host.ts";
import { isPublicHost } from "../../url/public-address.ts";
import { type CookieJar, cookieHeader, OF_A_SESSION, storeCookies } from "./cookie-jar.ts";

/** What a session holds, and which of it a request carries. */

export interface SessionHeader {
  /** As `matchesHost` reads it. */
  host: string;
  /** In lower case. */
  name: string;
  value: string;
}

export interface SessionSecrets {
  cookies: CookieJar;
  headers: readonly SessionHeader[];
}

/** What answers have set. */
export interface AnswerCookies {
  url: string;
  setCookies: readonly string[];
}

export function writeSecrets(secrets: SessionSecrets): string {
  return JSON.stringify(secrets);
}

export function readSecrets(content: string): SessionSecrets {
  return JSON.parse(content) as SessionSecrets;
}

/**
 * The headers of a request for a canonical URL: none where the session does not go. Its headers go over https alone, or
 * inside of one's own network.
 */
export function secretsFor(
  { cookies, headers }: SessionSecrets,
  session: Pick<SessionFacts, "hosts">,
  url: string,
  now: number,
): Record<string, string> {
  const host = hostOf(url);
  if (!isForHost(session, host)) return {};
  const cookie = cookieHeader(cookies, url, now);
  const isSafe = url.startsWith("https:") || !isPublicHost(hostKey(url));
  const own = isSafe ? headers.filter((header) => matchesHost(header.host, host)) : [];
  return {
    ...(cookie === null ? {} : { cookie }),
    ...Object.fromEntries(own.map(({ name, value }) => [name, value])),
  };
}

/** The secrets with what answers have set since, in their order. */
export function storeAnswers(secrets: SessionSecrets, answers: readonly AnswerCookies[], now: number): SessionSecrets {
  const cookies = answers.reduce(
    (jar, { url, setCookies }) => storeCookies(jar, url, setCookies, now, OF_A_SESSION),
    secrets.cookies,
  );
  return { ...secrets, cookies };
}

const encoder = new TextEncoder();

/**
 * The cookies of an answer without their values, for what must know only whether they have changed: a digest stands for
 * each. Attributes stay.
 */
export async function hideValues(setCookies: readonly string[]): Promise<string[]> {
  return Promise.all(
    setCookies.map(async (header) => {
      const [pair = "", ...attributes] = header.split(";");
      const at = pair.indexOf("=");
      const digest = await crypto.subtle.digest("SHA-256", encoder.encode(pair));
      const hidden = [...new Uint8Array(digest, 0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      return [`${pair.slice(0, at + 1)}${hidden}`, ...attributes].join(";");
    }),
  );
}
