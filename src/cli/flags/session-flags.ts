import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { CookieFileProblem, keepFor, readCookieFile } from "../../fetch/request/cookie-file.ts";
import { withScheme } from "../../url/with-scheme.ts";
import { UserError } from "../errors.ts";
import type { Client } from "../installation/client.ts";

/** What a person has brought to read pages behind a log-in, as the API takes it. */

export interface Brought {
  cookies: object[];
  /** What was kept and what was left out, for people. It has no value. */
  says: string;
}

/** The flags of a command that begins a crawl. `session` is one of the crawl's options. */
export interface SessionFlags {
  cookieFile?: string;
  session?: unknown;
}

export function cookieFileOption(command: Command): Command {
  return command.option(
    "--cookie-file <file>",
    "read as who is logged in: cookies.txt, Playwright's storage state, or a HAR. Only cookies of the seeds' hosts are kept, for this crawl alone. `session add` keeps them for others",
  );
}

/**
 * What the request of a crawl has besides, if its command names a file of cookies: they are stored for this crawl
 * alone. `note`: takes what was kept, for people. Throws UserError.
 */
export async function sessionOfCrawl(
  urls: readonly string[],
  { cookieFile, session }: SessionFlags,
  client: Pick<Client, "bringSession">,
  note: (line: string) => void,
): Promise<{ session?: string }> {
  if (cookieFile === undefined) return {};
  if (session !== undefined) throw new UserError("Give either --cookie-file or --session.", 2);
  const hosts = [...new Set(urls.map((url) => toHost(withScheme(url))))];
  const { cookies, says } = readCookies(cookieFile, hosts, "");
  const name = `of-a-crawl-${randomBytes(8).toString("hex")}`;
  await client.bringSession({ name, hosts, cookies, temporary: true });
  note(says);
  return { session: name };
}

/** Hosts that are named as left out. */
const MOST_NAMED = 5;

/**
 * The cookies of a file that go to these hosts. `advice`: what to do if it has none for them. Throws UserError, whose
 * message has nothing of the file.
 */
export function readCookies(file: string, hosts: readonly string[], advice: string): Brought {
  const { kept, left, without } = keepFor(readFile(file), hosts);
  if (kept.length === 0)
    throw new UserError(
      `--cookie-file ${file} has no cookie for ${hosts.join(", ")}. It has some for ${listOf(left)}${advice}.`,
      2,
    );
  const cookies = kept.map(({ host, isOfDomain, name, value, path, secure, expiresAt }) => ({
    ...{ name, value, path, secure, domain: isOfDomain ? `.${host}` : host },
    expires: expiresAt === null ? null : expiresAt / 1_000,
  }));
  const found = hosts.filter((host) => !without.includes(host));
  const notes = [
    `Kept ${kept.length} ${kept.length === 1 ? "cookie" : "cookies"} for ${found.join(", ")}.`,
    left.length === 0 ? "" : `Left out those of ${listOf(left)}.`,
    without.length === 0 ? "" : `There was none for ${without.join(", ")}.`,
  ];
  return { cookies, says: notes.filter((note) => note !== "").join(" ") };
}

function listOf(hosts: readonly string[]): string {
  const rest = hosts.length - MOST_NAMED;
  return `${hosts.slice(0, MOST_NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function readFile(file: string) {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UserError(`--cookie-file cannot read ${file}: ${(error as Error).message}`, 2);
  }
  try {
    return readCookieFile(text, Date.now());
  } catch (error) {
    if (error instanceof CookieFileProblem) throw new UserError(`--cookie-file ${file}: ${error.message}`, 2);
    throw error;
  }
}

/** `NAME: VALUE` for all hosts, or `HOST NAME: VALUE` for one. Throws UserError, without the value. */
export function toSessionHeader(written: string): { host?: string; name: string; value: string } {
  const [, host, name, value] = /^(?:([^\s]+)\s+)?([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)$/s.exec(written) ?? [];
  if (name === undefined || value === undefined)
    throw new UserError('A --header is no "NAME: VALUE", nor "HOST NAME: VALUE".', 2);
  return host === undefined ? { name, value } : { host: toHost(host), name, value };
}

/** The host as the API takes it: without a scheme and a path. */
export function toHost(written: string): string {
  const [host = ""] = written
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, "")
    .split("/");
  return host;
}
