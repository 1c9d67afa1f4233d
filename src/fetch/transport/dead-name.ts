import { resolveHost, resolveOnMachine } from "./host-addresses.ts";
import type { FetchEnv } from "./http.ts";

/**
 * Whether DNS says that the name does not exist, or has no address. False if nobody answers: a failed request tells
 * nothing of a name, because Cloudflare's edge answers 530 for an origin's tunnel that is down, too.
 */
export async function isDeadName(hostname: string, env: FetchEnv): Promise<boolean> {
  const { DIAGNOSIS } = env;
  const answer = DIAGNOSIS === undefined ? resolveHost(hostname, env) : resolveOnMachine(hostname, DIAGNOSIS);
  return (await answer).kind === "none";
}
