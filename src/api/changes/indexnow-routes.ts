import { type Context, Hono } from "hono";
import { readSubmission, type Submission } from "../../crawl/watch/submission.ts";
import { submit } from "../../lifecycle/indexnow.ts";
import { countSubmission } from "../access/rate-limit.ts";
import { limitBody } from "../requests/limit-body.ts";
import { refusal } from "../requests/request-problem.ts";
import { indexnowQuery, indexnowRequest } from "./indexnow-schemas.ts";

/**
 * /indexnow: an owner says which pages of a watched host have changed. It needs no token, for the key file on the host
 * tells who the owner is. Statuses are those of https://www.indexnow.org/documentation, but that only the holder of a
 * valid key learns more than 202: whether a host is watched is nobody else's business.
 */

type Api = { Bindings: Env };

/** More than a thousand URLs of a usual length. */
const MAX_SUBMISSION_BYTES = 128 * 1024;

export const indexnowRoutes = new Hono<Api>();

indexnowRoutes.get("/", async (c) => {
  await countSubmission(c);
  const { url, key, keyLocation = null } = indexnowQuery.parse(c.req.query());
  return answer(c, readSubmission({ host: null, key, keyLocation, urls: [url] }));
});

indexnowRoutes.post("/", limitBody(MAX_SUBMISSION_BYTES, 400), async (c) => {
  await countSubmission(c);
  const { host, key, keyLocation = null, urlList } = indexnowRequest.parse(await c.req.json());
  return answer(c, readSubmission({ host, key, keyLocation, urls: urlList }));
});

async function answer(c: Context<Api>, submission: Submission | { problem: string }): Promise<Response> {
  if ("problem" in submission) throw refusal(422, submission.problem);
  await countSubmission(c, submission.host);
  const isKeyChecked = (await submit(submission, c.var.deps)) === "valid";
  const result = { urls: submission.urls.length, isKeyChecked };
  return c.json({ success: true, result }, isKeyChecked ? 200 : 202);
}
