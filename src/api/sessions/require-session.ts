import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import { isForHost } from "../../crawl/session.ts";
import type { Store } from "../../store/store.ts";
import { hostOf } from "../../url/host-key.ts";
import { RequestProblem } from "../requests/request-problem.ts";

/** Throws RequestProblem if a crawl names a session that is not there, or that goes to none of its seeds' hosts. */
export async function requireSession(
  { session: name, urls }: Pick<CrawlOptions, "session" | "urls">,
  { sessions }: Pick<Store, "sessions">,
): Promise<void> {
  if (name === "") return;
  const session = await sessions.find(name);
  if (session === null)
    throw new RequestProblem(
      "no-session",
      `There is no session ${name}: orbweaver session add ${name} --host HOST --cookie-file FILE`,
      "session",
    );
  if (urls.length === 0 || urls.some((url) => isForHost(session, hostOf(url)))) return;
  throw new RequestProblem(
    "no-session",
    `The session ${name} goes to ${session.hosts.join(", ")}, and no seed is there.`,
    "session",
  );
}
