import { relative, resolve } from "node:path";
import { z } from "zod"; // schemas at the border: wrangler's reader is typed as anything
import { UserError } from "../src/cli/errors.ts";
import { MAX_BATCH_URLS, MAX_MESSAGE_URLS } from "../src/crawl/bounds/batch-size.ts";
import { FREE_DATABASE_LIMIT, readDatabaseLimit } from "../src/crawl/bounds/database-room.ts";
import { numberOfBinding } from "../src/crawl/ledger-name.ts";
import { missingSections, type NamedSections, type NeededSection, nameSection } from "./needed-sections.ts";

/**
 * Reads the names of an installation from its configuration: a deploy looks for them on the account and creates what is
 * missing.
 */

export interface Installation {
  /** The configuration file, relative to the working directory. */
  file: string;
  worker: string;
  /** The name of the reader Worker; null if the configuration has no binding READER. */
  reader: string | null;
  /** The name of the hook's Worker; null if the configuration has no binding HOOK. */
  hook: string | null;
  /** The frontier, its dead-letter queue, and those of notices and documents, each once. */
  queues: string[];
  /** `LEDGER` and then the others. */
  ledgers: Database[];
  mirror: string;
  account: string | undefined;
  /** The variables of these names, if the configuration sets them. */
  identityAddress: string | undefined;
  maxCost: string | undefined;
  ownHosts: string | undefined;
  userAgent: string;
  /** Sections that it may lack. */
  missing: NeededSection[];
  /** Messages of the frontier in a batch, if they carry more URLs than an invocation may fetch; null if not. */
  tooLargeBatch: number | null;
}

/** `id` is undefined unless the configuration has one. Then wrangler finds the database by its name. */
export interface Database {
  binding: string;
  name: string;
  id: string | undefined;
}

const name = z.string().min(1);

const configuration = z.object({
  name,
  account_id: z.string().optional(),
  queues: z.object({
    producers: z.array(z.object({ queue: name })),
    consumers: z.array(
      z.object({ queue: name, dead_letter_queue: name.optional(), max_batch_size: z.number().optional() }),
    ),
  }),
  d1_databases: z.array(z.object({ binding: z.string(), database_name: name, database_id: z.string().optional() })),
  r2_buckets: z.array(z.object({ binding: z.string(), bucket_name: name })),
  vars: z.object({
    QUEUES: z.object({ frontier: name, deadLetter: name, notices: name, documents: name }),
    IDENTITY_ADDRESS: z.string().optional(),
    MAX_COST_USD: z.union([z.string(), z.number().transform(String)]).optional(),
    OWN_HOSTS: z.string().optional(),
    USER_AGENT: z.string().default(""),
    DATABASE_LIMIT: z
      .string()
      .refine((setting) => !Number.isNaN(readDatabaseLimit(setting)), 'it is a size such as "10 GB" or "500 MB"')
      .optional(),
  }),
  services: z.array(z.object({ binding: z.string(), service: name })).default([]),
});

/** Messages that one invocation can work on. */
export const FRONTIER_BATCH = MAX_BATCH_URLS / MAX_MESSAGE_URLS;
/** https://developers.cloudflare.com/queues/configuration/batching-retries/ */
const DEFAULT_BATCH = 10;

/** The configuration of the reader Worker. Its name in there is only a default: the binding READER names it. */
export const READER_CONFIG = "wrangler.reader.toml";
/** That of the hook, likewise. */
export const HOOK_CONFIG = "wrangler.hook.toml";

/** Reads the file with wrangler's own reader. Throws UserError if it cannot be read or lacks a name. */
export async function readInstallation(file: string): Promise<Installation> {
  const path = resolve(file);
  const {
    name: worker,
    account_id,
    queues,
    d1_databases,
    r2_buckets,
    services,
    vars,
    missing,
  } = await readConfiguration(path, file);
  const ledger = findBinding(d1_databases, "LEDGER", "[[d1_databases]]", file);
  const mirror = findBinding(r2_buckets, "MIRROR", "[[r2_buckets]]", file);
  const queueNames = new Set(
    [
      ...queues.producers.map(({ queue }) => queue),
      ...queues.consumers.flatMap(({ queue, dead_letter_queue }) => [queue, dead_letter_queue]),
    ].filter((name) => name !== undefined),
  );
  checkQueues(queueNames, new Set(Object.values(vars.QUEUES)), file);
  return {
    file: relative(process.cwd(), path),
    worker,
    reader: services.find(({ binding }) => binding === "READER")?.service ?? null,
    hook: services.find(({ binding }) => binding === "HOOK")?.service ?? null,
    queues: [...queueNames],
    ledgers: [ledger, ...otherLedgers(d1_databases, file)].map(({ binding, database_name, database_id }) => ({
      ...{ binding, name: database_name, id: database_id },
    })),
    mirror: mirror.bucket_name,
    account: account_id,
    identityAddress: vars.IDENTITY_ADDRESS,
    maxCost: vars.MAX_COST_USD,
    ownHosts: vars.OWN_HOSTS,
    userAgent: vars.USER_AGENT,
    missing,
    tooLargeBatch: tooLargeBatch(queues.consumers.find(({ queue }) => queue === vars.QUEUES.frontier)),
  };
}

/** Earlier versions had 5 messages, with fewer URLs each. */
function tooLargeBatch(consumer: { max_batch_size?: number | undefined } | undefined): number | null {
  const messages = consumer?.max_batch_size ?? DEFAULT_BATCH;
  return messages > FRONTIER_BATCH ? messages : null;
}

/** Those beside LEDGER, by their numbers. Throws UserError for two with the same database: each has its own crawls. */
function otherLedgers<T extends { binding: string; database_name: string }>(entries: T[], file: string): T[] {
  const ledgers = entries.filter(({ binding }) => numberOfBinding(binding) !== null);
  const twice = ledgers.find(({ database_name }, i) =>
    ledgers.some((other, at) => at < i && other.database_name === database_name),
  );
  if (twice !== undefined)
    throw new UserError(`${file} has the database "${twice.database_name}" for two ledgers. Each needs its own.`);
  const numberOf = ({ binding }: T) => numberOfBinding(binding) ?? 0;
  return ledgers.filter((each) => numberOf(each) > 0).sort((a, b) => numberOf(a) - numberOf(b));
}

/** A batch comes with the name of its queue, and the Worker refuses one that it does not know (queue-role.ts). */
function checkQueues(used: Set<string>, named: Set<string>, file: string): void {
  const unnamed = [...used].filter((name) => !named.has(name));
  const unused = [...named].filter((name) => !used.has(name));
  if (unnamed.length === 0 && unused.length === 0) return;
  const problems = [
    ...unnamed.map((name) => `[vars.QUEUES] does not name the queue "${name}"`),
    ...unused.map((name) => `no [[queues]] section has the queue "${name}" of [vars.QUEUES]`),
  ];
  throw new UserError(`${file}: ${problems.join("; ")}. The names must be the same.`);
}

/**
 * The configuration for the free plan, as JSON: without its [limits], which that plan refuses, without the reader
 * Worker, which needs more CPU time than that plan has, and with that plan's limit of the database unless it sets one.
 */
export async function withoutLimits(file: string): Promise<string> {
  const { experimental_readRawConfig } = await import("wrangler");
  const { limits: _, services = [], vars, ...rest } = experimental_readRawConfig({ config: file }).rawConfig;
  const others = { ...rest, vars: { DATABASE_LIMIT: FREE_DATABASE_LIMIT, ...vars } };
  const kept = services.filter(({ binding }: { binding: string }) => binding !== "READER");
  return JSON.stringify(kept.length === 0 ? others : { ...others, services: kept });
}

async function readConfiguration(
  path: string,
  file: string,
): Promise<z.infer<typeof configuration> & { missing: NeededSection[] }> {
  const { unstable_readConfig } = await import("wrangler");
  try {
    const read = unstable_readConfig({ config: path });
    return { ...configuration.parse(read), missing: optionalMissing(read as NamedSections, file) };
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (error instanceof z.ZodError) {
      const problems = error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
      throw new UserError(`${file} does not say all that a deploy needs: ${problems.join("; ")}`);
    }
    throw new UserError(`${file} cannot be used: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The sections that it lacks, if it may. Throws UserError for the others. */
function optionalMissing(config: NamedSections, file: string): NeededSection[] {
  const missing = missingSections(config);
  const needed = missing.filter(({ without }) => without === null);
  if (needed.length > 0)
    throw new UserError(
      `${file} has no ${needed.map(nameSection).join(", no ")}. Copy what is missing from the wrangler.toml of this version: docs/operating.md, "Updates".`,
    );
  return missing;
}

function findBinding<T extends { binding: string }>(entries: T[], binding: string, section: string, file: string): T {
  const entry = entries.find((entry) => entry.binding === binding);
  if (entry === undefined) throw new UserError(`${file} has no ${section} with binding = "${binding}".`);
  return entry;
}
