/** Recognizes the answers that Cloudflare's edge gives in place of a site. */

/** Bytes in which the code stands: the text is "error code: 1003", and the HTML and JSON begin with it. */
const HEAD_BYTES = 8_192;
/** As text, as JSON (`"error_code":1003`), and in the class of an HTML element (`cf-error-code">1003`). */
const EDGE_ERROR = /error[ _-]code"?(?:: ?|>)(1\d{3})\b/;

/**
 * The code of an error of Cloudflare's edge, such as 1003 for a request to an IP address, or null. The status of such
 * an answer (403, 409, 429) says nothing about the resource, because the site was not asked.
 * https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-1xxx-errors/
 */
export function edgeErrorOf(
  { status, headers }: Pick<Response, "status" | "headers">,
  body: Uint8Array,
): string | null {
  if (status < 400 || headers.get("server") !== "cloudflare") return null;
  return EDGE_ERROR.exec(new TextDecoder().decode(body.subarray(0, HEAD_BYTES)))?.[1] ?? null;
}
