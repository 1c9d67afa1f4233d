import { matchesHost } from "../url/own-host.ts";

/** A session: cookies and headers that somebody has brought, to read pages behind a log-in. Nothing of it is shown. */

/** What may be shown of a session. Times are milliseconds since the Unix epoch. */
export interface SessionFacts {
  name: string;
  /** The hosts to which it goes, as `matchesHost` reads them: a host, `host:port`, or `*.suffix`. */
  hosts: readonly string[];
  /** How many it has. */
  cookies: number;
  headers: number;
  /** How a page looks with it (`SignedInMark`); empty if nobody has said. */
  signedIn: string;
  /** It was brought for one crawl, and is removed with it. */
  temporary: boolean;
  /** Raised each time that somebody brings it again. */
  version: number;
  addedAt: number;
  /** When a page was last seen signed in; null if none was. */
  seenAt: number | null;
  /** When it was found signed out; null if it was not, since it was brought or seen. */
  signedOutAt: number | null;
  /** Why, for people. */
  signedOutWhy: string | null;
}

/** 1 to 100 letters, digits and `._-`, the first no dash. */
export const SESSION_NAME = /^[\p{L}\p{N}._][\p{L}\p{N}._-]{0,99}$/u;

/** Whether it goes to a host. `host`: a `URL.host`. */
export function isForHost({ hosts }: Pick<SessionFacts, "hosts">, host: string): boolean {
  return hosts.some((pattern) => matchesHost(pattern, host));
}

/** How a page looks with a session. One of the three. */
export type SignedInMark =
  /** A CSS selector that matches an element. */
  | { kind: "selector"; selector: string }
  /** A text that stands in the page. */
  | { kind: "text"; text: string }
  /** A URL that answers with a page, and leads nowhere else. */
  | { kind: "url"; url: string };

/** A URL, `text=WORDS`, or a CSS selector, with or without `css=`. Null for an empty text. */
export function readSignedInMark(written: string): SignedInMark | null {
  const trimmed = written.trim();
  if (trimmed === "") return null;
  if (/^https?:\/\//i.test(trimmed)) return { kind: "url", url: trimmed };
  if (trimmed.startsWith("text=")) return { kind: "text", text: trimmed.slice(5).trim() };
  return { kind: "selector", selector: trimmed.replace(/^css=/, "").trim() };
}
