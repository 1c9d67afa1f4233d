import type { PrivateAccess } from "../../url/private-access.ts";
import { isAddress, isPublicHost } from "../../url/public-address.ts";
import { RequestProblem } from "../requests/request-problem.ts";

/** The addresses to which an installation sends requests. */
export interface FetchableHosts {
  privateAccess: PrivateAccess;
  /** Whether a URL may have an IP address as its host. */
  allowAddresses: boolean;
}

/** Throws RequestProblem if the host of this URL gets no request. `path`: the parameter that has the URL. */
export function checkHost(url: string, path: string, { privateAccess, allowAddresses }: FetchableHosts): void {
  const { hostname } = new URL(url);
  if (privateAccess === "none" && !isPublicHost(hostname)) {
    throw new RequestProblem(
      "private-address",
      `${url} is a private address. Set ALLOW_PRIVATE to "true" for this installation to request such addresses.`,
      path,
    );
  }
  if (!allowAddresses && isAddress(hostname)) {
    throw new RequestProblem(
      "ip-address",
      `The host of ${url} is an IP address. Cloudflare fetches host names only: use the name of the site.`,
      path,
    );
  }
}
