/** Advice for the errors of wrangler that are usual at a first deploy. */

const AGAIN = "Then run `npm run deploy` again: what is done already is left alone.";

const ADVICE: [RegExp, string][] = [
  [
    /code: 10042|code: 10136|enable R2/i,
    `R2 is not enabled on this account. Enable it once at https://dash.cloudflare.com/?to=/:account/r2/overview (it asks for a way to pay; what stays within its free allowance costs nothing). ${AGAIN}`,
  ],
  [
    /code: 10063|workers\.dev subdomain/i,
    `This account has no workers.dev subdomain yet. For another address, set workers_dev = false and a route in the configuration. Or open https://dash.cloudflare.com/?to=/:account/workers-and-pages once, which gives it one. ${AGAIN}`,
  ],
  [
    /code: 10000|code: 9109|authentication error|unauthorized/i,
    `The login or token lacks a permission. A token needs, for the account: Workers Scripts, D1, Queues and Workers R2 Storage, each to edit, and Account Settings to read. ${AGAIN}`,
  ],
  [
    /CLOUDFLARE_API_TOKEN|not logged in|wrangler login/i,
    `Run \`npx wrangler login\`, or set CLOUDFLARE_API_TOKEN where there is no browser. ${AGAIN}`,
  ],
  [/unable to resolve|fetch failed|ENOTFOUND|ETIMEDOUT/i, `Cloudflare cannot be reached from here. ${AGAIN}`],
  [
    /maximum number of D1 databases|code: 7406/i,
    `Delete a database that you no longer need, or move to the paid plan. ${AGAIN}`,
  ],
  [
    /code: 10143|could not resolve service binding/i,
    `Remove the [[services]] section of PAGE_FETCHER from the configuration: the Worker calls itself without one. ${AGAIN}`,
  ],
];

/** Returns a sentence or two; for unknown errors, that a repetition does no harm. */
export function adviceOn(words: string): string {
  return (
    ADVICE.find(([pattern]) => pattern.test(words))?.[1] ??
    "When that is mended, run `npm run deploy` again: what is done already is left alone."
  );
}
