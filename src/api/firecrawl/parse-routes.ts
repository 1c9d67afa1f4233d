import { Hono, type MiddlewareHandler } from "hono";
import { installationOf } from "../crawls/crawl-routes.ts";
import { limitBody } from "../requests/limit-body.ts";
import { FirecrawlProblem } from "./firecrawl-failure.ts";
import { MAX_UPLOAD_BYTES, parseUpload } from "./parse-upload.ts";
import { parseOptions } from "./requests/parse-request.ts";

/** POST /v2/parse, whose body is a file: it may be longer than other requests. */

export const parseRoutes = new Hono<{ Bindings: Env }>();

/** Another body is not read. */
const requireForm: MiddlewareHandler = async (c, next) => {
  if (!/^multipart\/form-data\b/i.test(c.req.header("content-type") ?? ""))
    throw new FirecrawlProblem(400, "BAD_REQUEST", "Send the file as multipart/form-data, in the field file.");
  await next();
};

parseRoutes.post("/", requireForm, limitBody(MAX_UPLOAD_BYTES), async (c) => {
  const { file, options } = await c.req.parseBody();
  if (!(file instanceof File) || file.size === 0)
    throw new FirecrawlProblem(400, "BAD_REQUEST", "file: there is no file, or it is empty.");
  const asked = parseOptions.parse(typeof options === "string" && options !== "" ? JSON.parse(options) : {});
  return c.json({ success: true, data: await parseUpload(file, asked, installationOf(c.env), c.var.deps) });
});
