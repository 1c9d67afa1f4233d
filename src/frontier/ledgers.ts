import { logWarning } from "../core/log.ts";
import { ledgerOf } from "../crawl/crawl-id.ts";
import { UnknownLedger } from "../store/installation/ledger-bindings.ts";

/**
 * The ledgers of the installation. A crawl lives in one of them, with everything of it; dependencies are opened on one
 * ledger, and lead to the others by the functions here. What speaks of all crawls asks each ledger by itself.
 */

/** Leads from dependencies to those on other ledgers. */
export interface LedgersDeps {
  ledgers: Ledgers<unknown>;
  /** The number of the ledger on which they are opened. */
  ledgerNumber: number;
}

/** Real time that a ledger has to answer what asks all ledgers. */
export const LEDGER_WAIT_MS = 5_000;

/** A ledger that has not answered in LEDGER_WAIT_MS, where the answer needs it. `message` is for people. */
export class SilentLedger extends Error {
  readonly ledger: number;

  constructor(ledger: number, whatNext = "Nothing is lost: try again in a minute.") {
    super(`Ledger ${ledger} does not answer. ${whatNext}`);
    this.ledger = ledger;
  }
}

/** Dependencies on each ledger, opened when they are first needed. Opening sends no request. */
export class Ledgers<D> {
  /** In order; the first one is 0, the catalogue. */
  readonly numbers: readonly number[];
  readonly #open: (ledger: number) => D;
  readonly #apart: (ledger: number) => D;
  readonly #opened = new Map<number, D>();

  /** `apart`: opens dependencies that share nothing, with a meter of their own. */
  constructor(
    numbers: readonly number[],
    open: (ledger: number, ledgers: Ledgers<D>) => D,
    apart: (ledger: number) => D,
  ) {
    this.numbers = numbers;
    this.#open = (ledger) => open(ledger, this);
    this.#apart = apart;
  }

  /** Throws UnknownLedger. */
  at(ledger: number): D {
    const known = this.#opened.get(ledger);
    if (known !== undefined) return known;
    if (!this.has(ledger)) throw new UnknownLedger(ledger);
    const opened = this.#open(ledger);
    this.#opened.set(ledger, opened);
    return opened;
  }

  has(ledger: number): boolean {
    return this.numbers.includes(ledger);
  }

  /** Dependencies for work beside that of others, which must not share a meter. Throws UnknownLedger. */
  apart(ledger: number): D {
    if (!this.has(ledger)) throw new UnknownLedger(ledger);
    return this.#apart(ledger);
  }

  /** Those that were needed so far. */
  get opened(): D[] {
    return [...this.#opened.values()];
  }
}

/** These dependencies on another ledger, or themselves if they are on it. Throws UnknownLedger. */
export function atLedger<D extends LedgersDeps>(deps: D, ledger: number): D {
  return ledger === deps.ledgerNumber ? deps : (deps.ledgers.at(ledger) as D);
}

/** These dependencies on the ledger of a crawl. Throws UnknownLedger. */
export function homeOf<D extends LedgersDeps>(deps: D, crawl: string): D {
  return atLedger(deps, ledgerOf(crawl));
}

/** These dependencies on each ledger, in order. */
export function onEachLedger<D extends LedgersDeps>(deps: D): D[] {
  return deps.ledgers.numbers.map((ledger) => atLedger(deps, ledger));
}

/** What the ledgers answered, in their order, and the numbers of those that did not. */
export interface Answers<T> {
  answers: T[];
  silent: number[];
}

/**
 * Asks all ledgers at once. One that fails, or does not answer in LEDGER_WAIT_MS, is left out. Throws if none answers,
 * and with one ledger what that throws.
 */
export async function askLedgers<D extends LedgersDeps, T>(deps: D, ask: (deps: D) => Promise<T>): Promise<Answers<T>> {
  const all = onEachLedger(deps);
  if (all.length === 1) return { answers: await Promise.all(all.map(ask)), silent: [] };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("it did not answer in time")), LEDGER_WAIT_MS);
  });
  const ends = await Promise.allSettled(all.map((each) => Promise.race([ask(each), late])));
  clearTimeout(timer);
  const answers = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
  const failed = ends.flatMap((end, i) =>
    end.status === "rejected" ? [{ ledger: all[i]?.ledgerNumber ?? 0, reason: end.reason as unknown }] : [],
  );
  if (answers.length === 0) throw failed[0]?.reason;
  for (const { ledger, reason } of failed) logWarning("ledger-not-answering", { ledger, why: String(reason) });
  return { answers, silent: failed.map(({ ledger }) => ledger) };
}
