import { Hono, type MiddlewareHandler } from "hono";
import type * as z from "zod";
import { isForHost } from "../../crawl/session.ts";
import { keepFor } from "../../fetch/request/cookie-file.ts";
import { type Cookie, MAX_COOKIE_AGE_MS } from "../../fetch/request/cookie-jar.ts";
import { type SessionSecrets, writeSecrets } from "../../fetch/request/session-secrets.ts";
import { SealProblem } from "../../store/installation/seal.ts";
import { RequestProblem, refusal } from "../requests/request-problem.ts";
import { type RemovedSessionView, sessionRequest, viewSession } from "./session-schemas.ts";

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
  const sessions = await c.var.deps.sessions.list();
  return c.json({ success: true, result: sessions.map(viewSession) });
});

sessionRoutes.post("/", async (c) => {
  const request = sessionRequest.parse(await c.req.json());
  const { sessions, clock } = c.var.deps;
  const secrets = toSecrets(request, clock.now());
  const { name, hosts, signedIn, temporary } = request;
  const counts = { cookies: secrets.cookies.length, headers: secrets.headers.length };
  const session = { name, hosts, signedIn, temporary, ...counts };
  await sessions.bring(session, writeSecrets(secrets), clock.now()).catch((error: unknown) => {
    throw error instanceof SealProblem ? refusal(503, error.message) : error;
  });
  const facts = await sessions.find(name);
  if (facts === null) throw refusal(409, `The session ${name} was removed meanwhile.`);
  return c.json({ success: true, result: viewSession(facts) }, 201);
});

sessionRoutes.delete("/:session", async (c) => {
  const name = c.req.param("session");
  const { sessions } = c.var.deps;
  const users = await sessions.usersOf(name, MOST_USERS);
  if (!(await sessions.remove(name))) throw refusal(404, `There is no session ${name}.`);
  const result: RemovedSessionView = { name, ...users };
  return c.json({ success: true, result });
});

/** Throws RequestProblem for what would go nowhere. No message has a value. */
function toSecrets({ hosts, cookies, headers }: z.output<typeof sessionRequest>, now: number): SessionSecrets {
  if (cookies.length + headers.length === 0)
    throw new RequestProblem("invalid-request", "A session needs cookies or headers.", "cookies");
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
