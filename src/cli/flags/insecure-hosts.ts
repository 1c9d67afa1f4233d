import type { Command } from "commander";
import { UserError } from "../errors.ts";
import { collect } from "./shared-options.ts";

/** `--insecure HOST`: hosts whose certificates are not checked, on this machine. */

export interface InsecureFlags {
  insecure?: string[];
}

/** Parts of the names of request headers that stand for a person. */
const SECRETS = ["authorization", "cookie", "token", "api-key", "apikey", "secret"];

export function insecureOption(command: Command): Command {
  return command.option(
    "--insecure <host>",
    "do not check the certificate of this host, such as intranet.example:8443; may be repeated. NODE_EXTRA_CA_CERTS, with the certificate in a file, is safer. Never together with a log-in",
    collect,
  );
}

/** What the local installation is told. Throws UserError for what cannot be. */
export function insecureHosts({
  insecure = [],
  header,
  remote,
  session,
  cookieFile,
}: InsecureFlags & { header?: unknown; remote?: string; session?: unknown; cookieFile?: string }): {
  insecure?: string[];
} {
  if (insecure.length === 0) return {};
  if (remote !== undefined)
    throw new UserError("--insecure is for crawls on this machine: Cloudflare checks every certificate.", 2);
  if (session !== undefined || cookieFile !== undefined)
    throw new UserError(
      "--insecure never goes with a session: whoever answers in place of the host would get it. Name the host's certificate in NODE_EXTRA_CA_CERTS instead.",
      2,
    );
  const secret = ((header ?? []) as string[]).find((one) => isSecret(one));
  if (secret !== undefined)
    throw new UserError(
      `--insecure never goes with --header ${secret.split(":", 1)[0]}: whoever answers in place of the host would get it. Name the host's certificate in NODE_EXTRA_CA_CERTS instead.`,
      2,
    );
  return { insecure: insecure.map(hostIn) };
}

function isSecret(header: string): boolean {
  const name = (header.split(":", 1)[0] ?? "").toLowerCase();
  return SECRETS.some((part) => name.includes(part));
}

function hostIn(written: string): string {
  const url = URL.parse(written.includes("://") ? written : `https://${written}`);
  if (url === null || written.includes("*") || url.pathname !== "/")
    throw new UserError(`--insecure ${written} is no host, such as intranet.example or intranet.example:8443.`, 2);
  return url.port === "" ? url.hostname.replace(/^\[|\]$/g, "") : url.host;
}
