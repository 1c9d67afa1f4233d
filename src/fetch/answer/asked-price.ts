import * as z from "zod"; // schemas at the border: what a server asks for is not ours

/** Reads the price that an answer with the status 402 asks for. It is reported and never paid. */

/** Characters of a name or an amount. */
const MAX_WORD = 100;

const word = z
  .string()
  .max(MAX_WORD)
  .regex(/^[\x20-\x7e]+$/);

/**
 * x402: version 1 is the body of the answer, version 2 its header, in base64.
 * https://github.com/x402-foundation/x402/tree/main/specs
 */
const x402 = z.object({
  x402Version: z.number(),
  accepts: z
    .array(
      z.object({
        network: word,
        asset: word,
        /** In the smallest unit of the asset. */
        amount: word.optional(),
        maxAmountRequired: word.optional(),
        extra: z.object({ name: word.optional() }).optional(),
      }),
    )
    .min(1),
});

/** The price in words; null if the answer names none that can be read. */
export function askedPrice(
  { status, headers }: { status: number; headers: Pick<Headers, "get"> },
  body: Uint8Array,
): string | null {
  if (status !== 402) return null;
  // https://developers.cloudflare.com/ai-crawl-control/features/pay-per-crawl/use-pay-per-crawl-as-ai-owner/crawl-pages/
  const crawler = word.safeParse(headers.get("crawler-price")?.trim());
  if (crawler.success) return `${crawler.data} (Cloudflare's pay per crawl)`;
  const header = headers.get("payment-required");
  return readX402(header === null ? new TextDecoder().decode(body) : fromBase64(header));
}

function readX402(json: string): string | null {
  const { data } = x402.safeParse(parse(json));
  if (data === undefined) return null;
  const offers = data.accepts.map(({ network, asset, amount, maxAmountRequired, extra }) => {
    const units = amount ?? maxAmountRequired;
    const name = extra?.name === undefined ? asset : `${extra.name} (${asset})`;
    return units === undefined ? null : `${units} units of ${name} on ${network}`;
  });
  const [first, ...others] = offers.filter((offer) => offer !== null);
  if (first === undefined) return null;
  const more = others.length === 0 ? "" : `, or one of ${others.length} other ways`;
  return `${first}${more} (x402)`;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

function fromBase64(text: string): string {
  return Buffer.from(text, "base64").toString();
}
