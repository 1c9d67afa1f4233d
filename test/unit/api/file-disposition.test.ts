import { expect, test } from "vitest";
import { fileDisposition } from "../../../src/api/exports/file-disposition.ts";

test.each([
  ["/report.pdf", "application/pdf", "attachment; filename=\"report.pdf\"; filename*=UTF-8''report.pdf"],
  ["/get?id=7", "application/pdf", "attachment; filename=\"get.pdf\"; filename*=UTF-8''get.pdf"],
  ["/", "application/zip", "attachment; filename=\"a.test.bin\"; filename*=UTF-8''a.test.bin"],
  ["/feed/", "application/rss+xml; charset=utf-8", "inline; filename=\"feed.xml\"; filename*=UTF-8''feed.xml"],
  ["/api/items", "application/vnd.api+json", "inline; filename=\"items.json\"; filename*=UTF-8''items.json"],
  ["/a.png", "image/png", "inline; filename=\"a.png\"; filename*=UTF-8''a.png"],
  [
    "/%D0%B3%22%0d%2F(1).pdf",
    "application/pdf",
    "attachment; filename=\"_____1_.pdf\"; filename*=UTF-8''%D0%B3%22__%281%29.pdf",
  ],
  ["/%ff.pdf", "application/pdf", "attachment; filename=\"_ff.pdf\"; filename*=UTF-8''%25ff.pdf"],
])("%s as %s is %s", (path, contentType, expected) => {
  expect(fileDisposition(`https://a.test${path}`, contentType)).toBe(expected);
});
