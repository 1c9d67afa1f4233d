import { readFileSync } from "node:fs";
import { errorCode, UserError } from "../errors.ts";

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The certificates that the user trusts beside those of browsers, as Node does
 * (https://nodejs.org/api/cli.html#node_extra_ca_certsfile): of a company's own authority, or of one server. miniflare
 * takes them for requests to private addresses by itself. Throws UserError if the file cannot be used.
 */
export function extraCertificates(file: string | undefined = process.env.NODE_EXTRA_CA_CERTS): string[] {
  if (file === undefined || file === "") return [];
  const found = readPem(file).match(PEM);
  if (found === null) throw new UserError(`NODE_EXTRA_CA_CERTS names ${file}, which has no certificate in PEM.`);
  return found;
}

function readPem(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UserError(`NODE_EXTRA_CA_CERTS names ${file}, which cannot be read (${errorCode(error)}).`);
  }
}
