import { Hono, type MiddlewareHandler } from "hono";
import type * as z from "zod";
import type { LogInStep } from "../../crawl/log-in.ts";
import { isForHost } from "../../crawl/session.ts";
import { keepFor } from "../../fetch/request/cookie-file.ts";
import { type Cookie, MAX_COOKIE_AGE_MS } from "../../fetch/request/cookie-jar.ts";
import { type SessionSecrets, writeSecrets } from "../../fetch/request/session-secrets.ts";
import { homeOf, type LedgersDeps } from "../../frontier/ledgers.ts";
import { deleteCrawl } from "../../lifecycle/delete-crawl.ts";
import type { RemoveDeps } from "../../lifecycle/needs.ts";
import { checkSession } from "../../reading/check-session.ts";
import type { Store } from "../../store/store.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { hostOf } from "../../url/host-key.ts";
import { crawlRequest, toOptions, toSeed } from "../crawls/crawl-request.ts";
import { installationOf } from "../crawls/crawl-routes.ts";
import { RequestProblem, refusal } from "../requests/request-problem.ts";
import {
  checkRequest,
  type RemovedSessionView,
  removeSessionQuery,
  sessionRequest,
  viewCheck,
  viewSession,
} from "./session-schemas.ts";

/** /api/sessions: what reads pages behind a log-in. A token that only reads is told nothing of them. */

type Api = { Bindings: Env };

const MOST_USERS = 20;

export const sessionRoutes = new Hono<Api>();

const forOwners: MiddlewareHandler<Api> = async (c, next) => {
  if (c.get("identity").access !== "all") throw refusal(403, "This token is read-only, so it is told of no sessions.");
  await next();
};
sessionRoutes.use("*", forOwners);

sessionRoutes.get("/", async (c) => {
  const { deps } = c.var;
  const sessions = await deps.sessions.list();
  const logIns = await deps.logIns.facts(
    sessions.map(({ name }) => name),
    deps.clock.now(),
  );
  return c.json({ success: true, result: sessions.map((session) => viewSession(session, logIns.get(session.name))) });
});

sessionRoutes.post("/", async (c) => {
  const request = sessionRequest.parse(await c.req.json());
  const { sessions, logIns, clock } = c.var.deps;
  const secrets = toSecrets(request, clock.now());
  const { name, hosts, signedIn, temporary, login } = request;
  const counts = { cookies: secrets.cookies.length, headers: secrets.headers.length };
  const session = { name, hosts, signedIn, temporary, ...counts };
  const logIn = await logIns.planBringing(
    name,
    login === null ? null : { ...login, steps: login.steps.map(canonical) },
  );
  await sessions.bring(session, writeSecrets(secrets), clock.now(), logIn);
  const facts = await sessions.find(name);
  if (facts === null) throw refusal(409, `The session ${name} was removed meanwhile.`);
  const brought = await logIns.facts([name], clock.now());
  return c.json({ success: true, result: viewSession(facts, brought.get(name)) }, 201);
});

/** Does the log-in of a session, and compares a page with it and without it. It may take a minute. */
sessionRoutes.post("/:session/check", async (c) => {
  const name = c.req.param("session");
  const { url, signedIn } = checkRequest.parse(await c.req.json());
  const { deps } = c.var;
  const none = refusal(404, `There is no session ${name}.`);
  if (signedIn !== undefined && !(await deps.sessions.mark(name, signedIn))) throw none;
  const facts = await deps.sessions.find(name);
  if (facts === null) throw none;
  const installation = installationOf(c.env);
  const page = url === undefined ? null : toSeed(url, "url", installation);
  if (page !== null && !isForHost(facts, hostOf(page)))
    throw new RequestProblem(
      "invalid-request",
      `The session ${name} goes to ${facts.hosts.join(", ")}, and ${hostOf(page)} is none of them.`,
      "url",
    );
  const planned = crawlRequest.parse({ url: page ?? "https://example.com/", session: name });
  const check = await checkSession(name, page, toOptions(planned, installation), deps);
  if (check === null) throw refusal(409, `The session ${name} was removed, or cannot be decrypted.`);
  return c.json({ success: true, result: viewCheck(facts, check) });
});

sessionRoutes.delete("/:session", async (c) => {
  const name = c.req.param("session");
  const { withCrawls } = removeSessionQuery.parse(c.req.query());
  const { sessions } = c.var.deps;
  const users = await sessions.usersOf(name, MOST_USERS);
  if (!(await sessions.remove(name))) throw refusal(404, `There is no session ${name}.`);
  const deleted = withCrawls === "true" ? await deleteAllOf(name, c.var.deps) : [];
  const result: RemovedSessionView = { name, ...users, ...(deleted.length > 0 ? { crawls: [] } : {}), deleted };
  return c.json({ success: true, result });
});

function canonical(step: LogInStep): LogInStep {
  return "open" in step ? { open: canonicalize(step.open.trim()) ?? step.open } : step;
}

/** Hides all crawls that have used a session. The heartbeat removes what they stored. Returns their ids. */
async function deleteAllOf(name: string, deps: RemoveDeps & LedgersDeps & Pick<Store, "sessions">): Promise<string[]> {
  const deleted: string[] = [];
  for (;;) {
    const { crawls } = await deps.sessions.usersOf(name, MOST_USERS);
    if (crawls.length === 0) return deleted;
    for (const id of crawls) await deleteCrawl(id, true, homeOf(deps, id));
    deleted.push(...crawls);
  }
}

/** Throws RequestProblem for what would go nowhere. No message has a value. */
function toSecrets({ hosts, cookies, headers, login }: z.output<typeof sessionRequest>, now: number): SessionSecrets {
  if (cookies.length + headers.length === 0 && login === null)
    throw new RequestProblem("invalid-request", "A session needs cookies, headers or a log-in.", "cookies");
  const jar = cookies.map(({ domain, expires, ...cookie }): Cookie => {
    const host = domain.replace(/^\./, "").toLowerCase();
    const expiresAt = expires === null ? null : Math.min(expires * 1_000, now + MAX_COOKIE_AGE_MS);
    return { ...cookie, host, expiresAt, ...(domain.startsWith(".") ? { isOfDomain: true } : {}) };
  });
  const { left } = keepFor(jar, hosts);
  if (left.length > 0)
    throw new RequestProblem(
      "invalid-request",
      `There are cookies of ${left.slice(0, 3).join(", ")}, which go to none of the hosts: leave them out, or name their hosts.`,
      "cookies",
    );
  const foreign = headers.find(
    ({ host }) => host !== undefined && !isForHost({ hosts }, host) && !hosts.includes(host),
  );
  if (foreign?.host !== undefined)
    throw new RequestProblem(
      "invalid-request",
      `The host ${foreign.host} of a header is not among the hosts.`,
      "headers",
    );
  return {
    cookies: jar,
    headers: headers.flatMap(({ host, name, value }) =>
      (host === undefined ? hosts : [host]).map((each) => ({ host: each, name: name.toLowerCase(), value })),
    ),
  };
}
