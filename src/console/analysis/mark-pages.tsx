import { Hono } from "hono";
import { refusal } from "../../api/requests/request-problem.ts";
import { apiPath, callApi } from "../call-api.ts";
import { readForm } from "../new-crawl/read-form.ts";
import type { Console } from "../page-context.ts";

/** Takes the forms with which people mark pages, and leads back to the page of the form. */

export const markRoutes = new Hono<Console>();

markRoutes.post("/crawls/:id/marks", async (c) => {
  const { url: urls = [], as: [as] = ["label"], label: [label = ""] = [], back: [back = ""] = [] } = await readForm(c);
  if (urls.length === 0) throw refusal(400, "No page is ticked. Go back, and tick the pages to mark.");
  if (as === "label" && label.trim() === "") throw refusal(400, "There is no label. Go back, and type one.");
  const given = as === "none" ? null : as === "label" ? label.trim() : as;
  await callApi(c, "POST", `${apiPath(c)}/marks`, { urls, label: given });
  const crawl = `/crawls/${encodeURIComponent(c.req.param("id"))}`;
  // Only to a page of this crawl.
  return c.redirect(back.startsWith(`${crawl}/`) ? back : `${crawl}/records`, 303);
});
