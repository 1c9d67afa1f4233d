import * as z from "zod";
import { costUsd, type Usage } from "../crawl/usage.ts";
import { cost, count, listOf, objectOf, time, usage } from "./fields.ts";

/** The installation's health, and the answer of every error. */

const busy = count.describe("Number of batches that this isolate is processing.");

export const openHealth = objectOf({
  ok: z.literal(true).describe("Always true."),
  name: z.literal("orbweaver").describe("The name of the program."),
  version: z.string().describe("The version of the program."),
  busy,
});

export const health = objectOf({
  busy,
  failure: z.string().nullable().describe("Why the latest batch of this isolate failed. null: it did not."),
  heartbeat: objectOf({
    at: time.describe("When it ran."),
    report: z.record(z.string(), z.unknown()).describe("What it did."),
  })
    .nullable()
    .describe("The latest heartbeat."),
  bill: objectOf({
    since: time.describe("When counting began."),
    usage: usage.describe("Use of the platform, in the units in which Cloudflare bills it."),
    costUsd: cost.describe("Its price by Cloudflare's list, in US dollars: an estimate."),
  })
    .nullable()
    .describe(
      "Cost of reading crawls, of schedules and of heartbeats, which no crawl is billed for. null: not counted yet.",
    ),
});

export type Health = z.output<typeof health>;

export function viewBill(bill: { usage: Usage; since: number } | null): Health["bill"] {
  if (bill === null) return null;
  return { since: new Date(bill.since).toISOString(), usage: bill.usage, costUsd: costUsd(bill.usage) };
}

export const openapiView = z.looseObject({ openapi: z.literal("3.1.0").describe("The version of OpenAPI.") });

export const failureView = objectOf({
  success: z.literal(false).describe("Always false."),
  result: z.null().describe("Always null."),
  errors: listOf({
    code: z.union([z.string(), z.int()]).describe("For programs: a word, or a number on Cloudflare's paths."),
    message: z.string().describe("For people."),
    path: z.string().optional().describe("The wrong parameter, such as `politeness.minDelayMs`."),
  }).describe("The errors."),
  messages: z.array(z.string()).max(0).describe("Always empty."),
  requestId: z.string().describe("The id of the request, which the log has too."),
});
