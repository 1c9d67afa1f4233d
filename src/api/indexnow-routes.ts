import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { readSubmission, type Submission } from "../crawl/submission.ts";
import { submit } from "../lifecycle/indexnow.ts";
import { indexnowQuery, indexnowRequest } from "./indexnow-schemas.ts";
import { limitBody, MAX_BODY_BYTES } from "./limit-body.ts";
import { countSubmission } from "./rate-limit.ts";

/**
 * /indexnow: an owner says which pages of a watched host have changed. It needs no token, for the key file on the host
 * tells who the owner is. Statuses are those of https://www.indexnow.org/documentation.
 */

type Api = { Bindings: Env };

export const indexnowRoutes = new Hono<Api>();

indexnowRoutes.get("/", async (c) => {
  await countSubmission(c);
  const { url, key, keyLocation = null } = indexnowQuery.parse(c.req.query());
  return answer(c, readSubmission({ host: null, key, keyLocation, urls: [url] }));
});

indexnowRoutes.post("/", limitBody(MAX_BODY_BYTES, 400), async (c) => {
  await countSubmission(c);
  const { host, key, keyLocation = null, urlList } = indexnowRequest.parse(await c.req.json());
  return answer(c, readSubmission({ host, key, keyLocation, urls: urlList }));
});

async function answer(c: Context<Api>, submission: Submission | { problem: string }): Promise<Response> {
  if ("problem" in submission) throw new HTTPException(422, { message: submission.problem });
  await countSubmission(c, submission.host);
  const state = await submit(submission, c.var.deps);
  if (state === null)
    throw new HTTPException(422, { message: `No watch of this installation has ${submission.host}.` });
  if (state === "refused") throw new HTTPException(403, { message: `${submission.location} does not hold the key.` });
  if (state === "full") throw new HTTPException(429, { message: "Too many URLs or keys of this host wait already." });
  const result = { urls: submission.urls.length, isKeyChecked: state === "valid" };
  return c.json({ success: true, result }, state === "valid" ? 200 : 202);
}
