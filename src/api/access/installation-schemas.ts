import * as z from "zod";
import {
  type DatabaseRoom,
  type Deletable,
  describeNoRoom,
  describeRoom,
  levelOf,
  ROOM_LEVELS,
  shareOf,
} from "../../crawl/bounds/database-room.ts";
import { readDefaultCost } from "../../crawl/bounds/default-cost.ts";
import type { LedgerState } from "../../crawl/bounds/ledger-state.ts";
import { costUsd, type Usage } from "../../crawl/bounds/usage.ts";
import { bindingOf } from "../../crawl/ledger-name.ts";
import { type Identity, signingKey } from "../../fetch/request/identity.ts";
import { joinReports } from "../../lifecycle/join-reports.ts";
import type { OwnHosts } from "../../url/own-host.ts";
import { cost, count, listOf, objectOf, time, usage } from "../requests/fields.ts";

/** The installation's health, and the answer of every error. */

const busy = count.describe("Number of batches that this isolate is processing.");

export const openHealth = objectOf({
  ok: z.literal(true).describe("Always true."),
  name: z.literal("orbweaver").describe("The name of the program."),
  version: z.string().describe("The version of the program."),
  busy,
});

const ledgerNumber = count.describe("Its number. The ids of its crawls have it, except in the first one, 0.");

const database = {
  bytes: count.describe("Its size, without what deletions have freed."),
  limitBytes: count.describe(
    "Its limit: the plan's, or `DATABASE_LIMIT`. On your own machine, what the disk has room for.",
  ),
  diskFreeBytes: count
    .nullable()
    .describe("What is free on the disk of the state folder, where that is the limit. null: it is not."),
  level: z
    .enum(ROOM_LEVELS)
    .describe("`filling`, from 90% of the limit on: crawls are paused. `full`, from 95% on: watches too."),
  text: z.string().describe("How full it is, in words, such as `9.1 GB of 10 GB (91%)`."),
  advice: z.string().nullable().describe("What to do now, in words. null: nothing."),
};

export const health = objectOf({
  busy,
  failure: z.string().nullable().describe("Why the latest batch of this isolate failed. null: it did not."),
  hasHook: z.boolean().describe("Whether a hook, the operator's own Worker, decides about URLs and pages."),
  heartbeat: objectOf({
    at: time.describe("When it ran."),
    report: z.record(z.string(), z.unknown()).describe("What it did."),
  })
    .nullable()
    .describe("The latest heartbeat that was noted: one in three is, and each that failed in something."),
  bill: objectOf({
    since: time.describe("When counting began."),
    usage: usage.describe("Use of the platform, in the units in which Cloudflare bills it."),
    costUsd: cost.describe("Its price by Cloudflare's list, in US dollars: an estimate."),
  })
    .nullable()
    .describe(
      "Cost of reading crawls, of schedules and of heartbeats, which no crawl is billed for. null: not counted yet.",
    ),
  database: objectOf(database).describe("How full the database is; with several ledgers, the fullest one."),
  ledgers: listOf({
    ledger: ledgerNumber,
    name: z.string().describe("The name of its binding in `wrangler.toml`."),
    answers: z.boolean().describe("Whether it answers. If not, its crawls stand still, and lists lack them."),
    heartbeat: time.nullable().describe("When its last heartbeat ran. null: none yet, or it does not answer."),
    database: objectOf(database).nullable().describe("How full it is. null: it does not answer."),
  }).describe("The databases in which crawls live (docs/scale.md). The first one has what belongs to no crawl, too."),
  maxCostUsd: cost
    .nullable()
    .describe("Cost limit of a crawl that sets none, in US dollars (`MAX_COST_USD`). null: no limit."),
  identity: objectOf({
    address: z.string().describe("The address at which the key directory stands. `Signature-Agent` names it."),
    keys: listOf({
      id: z.string().describe("The thumbprint of the public key, which `keyid` names."),
      since: time.describe("When the key was made."),
      signs: z.boolean().describe("Whether requests are signed with this key now."),
    }).describe("The keys of the directory, the newest first."),
  })
    .nullable()
    .describe("Who signs the requests of crawls (Web Bot Auth). null: they are not signed."),
  ownership: objectOf({
    key: z
      .string()
      .describe(
        "The key by which a host shows that it is the operator's own: on a line of `/.well-known/orbweaver`, or in a TXT record of `_orbweaver.HOST`.",
      ),
    listed: z.array(z.string()).describe("The hosts that `OWN_HOSTS` lists."),
    unreadable: z.array(z.string()).describe("Words of `OWN_HOSTS` that are no hosts, and count for nothing."),
  }).describe("The operator's own hosts."),
});

export type Health = z.output<typeof health>;

export function viewBill(bill: { usage: Usage; since: number } | null): Health["bill"] {
  if (bill === null) return null;
  return { since: new Date(bill.since).toISOString(), usage: bill.usage, costUsd: costUsd(bill.usage) };
}

/** That of the first ledger that answers, with what all of them did. */
export function viewHeartbeat(ledgers: readonly LedgerState[]): Health["heartbeat"] {
  const beats = ledgers.flatMap(({ heartbeat }) => heartbeat ?? []);
  const [first] = beats;
  if (first === undefined) return null;
  const reports = beats.map(({ report }) => report as Parameters<typeof joinReports>[0][number]);
  return {
    at: first.at,
    report: beats.length === 1 ? (first.report as Record<string, unknown>) : { ...joinReports(reports) },
  };
}

/** `ledgers`: at least one. */
export function viewFullest(ledgers: readonly LedgerState[]): Health["database"] {
  const [fullest] = ledgers.toSorted((a, b) => shareOf(b.room) - shareOf(a.room));
  if (fullest === undefined) throw new Error("no ledger answered");
  return viewDatabase(fullest.room, fullest.deletable);
}

/** `silent`: the numbers of those that do not answer. */
export function viewLedgers(ledgers: readonly LedgerState[], silent: readonly number[]): Health["ledgers"] {
  const answering = ledgers.map(({ ledger, room, deletable, heartbeat }) => ({
    ...{ ledger, name: bindingOf(ledger), answers: true },
    ...{ heartbeat: heartbeat?.at ?? null, database: viewDatabase(room, deletable) },
  }));
  const others = silent.map((ledger) => ({
    ...{ ledger, name: bindingOf(ledger), answers: false, heartbeat: null, database: null },
  }));
  return [...answering, ...others].sort((a, b) => a.ledger - b.ledger);
}

/** `deletable`: crawls to name for deletion; none while there is room. */
function viewDatabase(room: DatabaseRoom, deletable: readonly Deletable[]): Health["database"] {
  const level = levelOf(room);
  const advice = level === "room" ? null : describeNoRoom(room, deletable, { isWatch: level === "full" });
  return { ...room, limitBytes: Math.round(room.limitBytes), level, text: describeRoom(room), advice };
}

export function viewIdentity(identity: Identity | null, now: number): Health["identity"] {
  if (identity === null) return null;
  const signing = signingKey(identity, now).id;
  const keys = identity.keys.map(({ id, since }) => ({
    id,
    since: new Date(since).toISOString(),
    signs: id === signing,
  }));
  return { address: identity.address, keys };
}

export function viewOwnHosts({ patterns, problems }: OwnHosts): Omit<Health["ownership"], "key"> {
  return { listed: [...patterns], unreadable: [...problems] };
}

/** `setting`: MAX_COST_USD. */
export function viewMaxCost(setting: string | undefined): number | null {
  return readDefaultCost(setting) || null;
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
