import { expect, test } from "vitest";
import { crawlRequest } from "../../../src/api/crawls/crawl-request.ts";

const url = "https://example.com/";

test("a picture needs a browser", () => {
  const read = (body: Record<string, unknown>) => crawlRequest.safeParse({ url, screenshot: true, ...body });
  const message = "a screenshot needs a browser that draws the page: set render to auto or always";
  for (const body of [{}, { render: "never" }])
    expect(read(body).error?.issues).toMatchObject([{ path: ["screenshot"], message }]);
  for (const render of ["auto", "always"]) expect(read({ render }).data).toMatchObject({ render, screenshot: true });
  expect(crawlRequest.parse({ url }).screenshot).toBe(false);
});
