import { gzipMember } from "../../archive/gzip-member.ts";
import { sha256Of } from "../../archive/sha256.ts";
import { textUrn, viewUrn } from "../../archive/view-urn.ts";
import { resourceRecord } from "../../archive/warc-record.ts";
import type { CapturedResource } from "../../crawl/page/outcome.ts";
import type { DrawnView } from "./drawing.ts";

export const PICTURE_TYPE = "image/jpeg";

/**
 * Makes the records of a page's picture and of its text. They are resources: no server sent them. The index leads to
 * the picture, and the text follows it. `date`: that of the page, in milliseconds since the Unix epoch.
 */
export function captureView(url: string, { picture, text }: DrawnView, date: number, crawl: string): CapturedResource {
  const id = crypto.randomUUID();
  const common = { date, warcinfoId: crawl };
  const sha256 = sha256Of(picture);
  const view = resourceRecord({
    ...common,
    id,
    url: viewUrn(url),
    sha256,
    payload: picture,
    contentType: PICTURE_TYPE,
  });
  const payload = new TextEncoder().encode(text);
  const shown = resourceRecord({
    ...common,
    url: textUrn(url),
    sha256: sha256Of(payload),
    payload,
    contentType: "text/plain; charset=utf-8",
  });
  const head = { id, status: 200, statusText: "OK", headers: [["content-type", PICTURE_TYPE]] as [string, string][] };
  return { ...head, date, url: viewUrn(url), sha256, response: [gzipMember(view)], others: gzipMember(shown) };
}
