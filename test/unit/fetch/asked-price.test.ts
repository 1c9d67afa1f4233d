import { expect, it } from "vitest";
import { askedPrice } from "../../../src/fetch/answer/asked-price.ts";

const ASSET = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const V1 = {
  x402Version: 1,
  error: "Payment required",
  accepts: [
    {
      scheme: "exact",
      network: "base-sepolia",
      maxAmountRequired: "10000",
      asset: ASSET,
      payTo: "0x2",
      extra: { name: "USDC", version: "2" },
    },
  ],
};
const V2 = {
  x402Version: 2,
  resource: { url: "https://a.test/" },
  accepts: [
    { scheme: "exact", network: "eip155:84532", amount: "10000", asset: ASSET, payTo: "0x2" },
    { scheme: "exact", network: "eip155:8453", amount: "20000", asset: ASSET, payTo: "0x2" },
  ],
};
const inHeader = (value: unknown) => ({ "payment-required": Buffer.from(JSON.stringify(value)).toString("base64") });

it.each<[string, number, Record<string, string>, string, string | null]>([
  ["pay per crawl", 402, { "crawler-price": "USD 0.01" }, "", "USD 0.01 (Cloudflare's pay per crawl)"],
  ["x402 1", 402, {}, JSON.stringify(V1), `10000 units of USDC (${ASSET}) on base-sepolia (x402)`],
  ["x402 2", 402, inHeader(V2), "{}", `10000 units of ${ASSET} on eip155:84532, or one of 1 other ways (x402)`],
  ["both", 402, { "crawler-price": "USD 1", ...inHeader(V2) }, "", "USD 1 (Cloudflare's pay per crawl)"],
  ["a 402 without a price", 402, {}, "<h1>Payment Required</h1>", null],
  ["a suspended host", 402, { "x-vercel-error": "DEPLOYMENT_DISABLED" }, "Payment required", null],
  ["an empty price", 402, { "crawler-price": " " }, "", null],
  ["a price with a control character", 402, { "crawler-price": "USD\t1" }, "", null],
  ["a long price", 402, { "crawler-price": "9".repeat(200) }, "", null],
  ["a header that is no base64", 402, { "payment-required": "%%%" }, "", null],
  ["x402 without offers", 402, {}, JSON.stringify({ ...V1, accepts: [] }), null],
  [
    "x402 without an amount",
    402,
    {},
    JSON.stringify({ x402Version: 1, accepts: [{ network: "base", asset: "USDC" }] }),
    null,
  ],
  ["other JSON", 402, {}, '{"error":"no credit"}', null],
  ["a price with another status", 403, { "crawler-price": "USD 0.01" }, "", null],
  ["a page that was paid for", 200, { "crawler-charged": "USD 0.01" }, "", null],
])("%s", (_, status, headers, body, expected) => {
  expect(askedPrice({ status, headers: new Headers(headers) }, new TextEncoder().encode(body))).toBe(expected);
});
