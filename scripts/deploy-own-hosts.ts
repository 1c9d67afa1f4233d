import { readOwnHosts } from "../src/url/own-host.ts";
import type { Installation } from "./deploy-config.ts";
import type { Say } from "./deploy-steps.ts";

/** Says which hosts OWN_HOSTS makes the operator's own, and which of its words the Worker cannot read. */
export function sayOwnHosts({ ownHosts, file }: Installation, say: Say): void {
  const { patterns, problems } = readOwnHosts(ownHosts);
  if (patterns.length > 0) say(`Own hosts   ${patterns.join(", ")}`);
  for (const word of problems)
    say(
      `Warning     OWN_HOSTS in ${file} has "${word}", which is no host and counts for nothing. Write www.example.com, intranet.example.com:8443 or *.example.com`,
    );
}
