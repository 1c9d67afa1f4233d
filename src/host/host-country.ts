import type { Clock } from "../core/clock.ts";
import type { Resolution } from "../fetch/transport/resolver.ts";
import { countryOfAddress } from "../url/address-country.ts";
import { cdnOf } from "../url/cdn-address.ts";
import { countryName, countryOfDomain } from "../url/country-domain.ts";
import { isAddress } from "../url/public-address.ts";
import type { CountryAnswer, Verdict } from "./gate-protocol.ts";

/**
 * The country of a gate's host: that of its addresses, or that of its top-level domain where they belong to a content
 * delivery network or to no known country. The resolver is asked once, for all crawls, and the answer is stored.
 */

interface HostCountry {
  state: "known";
  /** Codes of two capital letters. Empty if nobody knows, as for a generic domain on a content delivery network. */
  countries: string[];
  /** How that is known, for people. */
  how: string;
  /** When the resolver is asked again: milliseconds since the Unix epoch. */
  until: number;
}

/** The resolver did not answer. */
interface Unanswered {
  state: "unanswered";
  why: string;
  failures: number;
  retryAt: number;
}

export interface CountrySurroundings {
  storage: { get<T>(key: string): T | undefined; put(key: string, value: unknown): void };
  clock: Clock;
  /** Asks DNS. */
  resolve(hostname: string): Promise<Resolution>;
  /** Keeps the gate in memory until this ends. */
  keepAlive(work: Promise<unknown>): void;
}

/** Nothing is known before `retryAt`. `why` is null while the resolver is being asked. */
type Waits = Pick<Unanswered, "state" | "retryAt"> & { why: string | null };

const KEY = "country";
const MAX_COUNTRY_AGE_MS = 30 * 86_400_000;
/** For a host without an address, or whose resolver does not answer. */
const SHORT_AGE_MS = 3_600_000;
/** In real time; twice as long after each failure. */
const FIRST_COUNTRY_RETRY_MS = 5_000;
const MAX_FAILURES = 3;
const MAX_COUNTRY_RETRY_MS = FIRST_COUNTRY_RETRY_MS * 2 ** MAX_FAILURES;
/** The delay that is quoted while the resolver is being asked, in real time. */
const READING_RETRY_MS = 1_000;

export class HostCountryReader {
  readonly #around: CountrySurroundings;
  #reading: Promise<HostCountry | Unanswered> | undefined;

  constructor(around: CountrySurroundings) {
    this.#around = around;
  }

  /** Whether nobody is being asked. */
  get isAtRest(): boolean {
    return this.#reading === undefined;
  }

  /**
   * The verdict on the URLs of a host for a crawl of these countries; null if they may be fetched. A caller with
   * `patience` waits no longer than that.
   */
  async judge(hostname: string, wanted: readonly string[], patience?: () => Promise<void>): Promise<Verdict | null> {
    const found = await this.#read(hostname, patience);
    if (found.state === "known") {
      const detail = refuseCountry(found, wanted);
      return detail === null ? null : { kind: "denied", reason: "country", detail };
    }
    const { why } = found;
    return { kind: "wait", delayMs: Math.max(1_000, found.retryAt - this.#around.clock.now()), why };
  }

  /** The same for people. It waits for the resolver. */
  async explain(hostname: string, wanted: readonly string[]): Promise<CountryAnswer> {
    const found = await this.#read(hostname);
    if (found.state === "unanswered") return { allowed: null, detail: found.why ?? "the resolver is being asked" };
    return { allowed: refuseCountry(found, wanted) === null, detail: found.how };
  }

  async #read(hostname: string, patience?: () => Promise<void>): Promise<HostCountry | Waits> {
    const { storage, clock, keepAlive } = this.#around;
    const known = storage.get<HostCountry | Unanswered>(KEY);
    // A clock that was set back makes nothing last longer.
    const isAhead = (time: number, mostMs: number) => time > clock.now() && time - clock.now() <= mostMs;
    if (known?.state === "known" && isAhead(known.until, MAX_COUNTRY_AGE_MS)) return known;
    if (known?.state === "unanswered" && isAhead(known.retryAt, MAX_COUNTRY_RETRY_MS * clock.speed)) return known;
    if (this.#reading === undefined) {
      const reading = this.#ask(hostname, known?.state === "unanswered" ? known.failures : 0);
      this.#reading = reading;
      const forget = () => {
        this.#reading = undefined;
      };
      keepAlive(reading.then(forget, forget));
    }
    if (patience === undefined) return this.#reading;
    const later = { state: "unanswered", why: null, retryAt: clock.now() + READING_RETRY_MS * clock.speed } as const;
    return Promise.race([this.#reading, patience().then(() => later)]);
  }

  async #ask(hostname: string, failures: number): Promise<HostCountry | Unanswered> {
    const { storage, clock, resolve } = this.#around;
    const resolution: Resolution = isAddress(hostname)
      ? { kind: "found", addresses: [hostname] }
      : await resolve(hostname);
    const answer = await this.#toAnswer(hostname, resolution, failures + 1, clock);
    storage.put(KEY, answer);
    return answer;
  }

  async #toAnswer(
    hostname: string,
    resolution: Resolution,
    failures: number,
    { now, speed }: Clock,
  ): Promise<HostCountry | Unanswered> {
    if (resolution.kind === "unanswered" && failures < MAX_FAILURES) {
      const why = `the resolver does not say where ${hostname} is: ${resolution.why}`;
      const retryAt = now() + FIRST_COUNTRY_RETRY_MS * 2 ** (failures - 1) * speed;
      return { state: "unanswered", why, failures, retryAt };
    }
    const addresses = resolution.kind === "found" ? resolution.addresses : [];
    const ageMs = resolution.kind === "found" ? MAX_COUNTRY_AGE_MS : SHORT_AGE_MS;
    return { state: "known", ...(await findCountries(hostname, addresses)), until: now() + ageMs };
  }
}

/** `addresses`: IPv6 in brackets. The table knows IPv4 alone. */
export async function findCountries(
  hostname: string,
  addresses: readonly string[],
): Promise<Pick<HostCountry, "countries" | "how">> {
  const ipv4 = addresses.filter((address) => isAddress(address) && !address.startsWith("["));
  const shared = ipv4.find((address) => cdnOf(address) !== null);
  if (shared !== undefined) return byDomain(hostname, `its address ${shared} belongs to ${cdnOf(shared)}`);
  const places = await Promise.all(
    ipv4.map(async (address) => ({ address, country: await countryOfAddress(address) })),
  );
  const known = places.flatMap(({ address, country }) => (country === null ? [] : [{ address, country }]));
  if (known.length === 0) return byDomain(hostname, "no address of it has a known country");
  const distinct = [...new Map(known.map((place) => [place.country, place])).values()];
  const how = distinct.map(({ address, country }) => `its address ${address} is in ${describeCountry(country)}`);
  return { countries: distinct.map(({ country }) => country), how: how.join(", ") };
}

function byDomain(hostname: string, why: string): Pick<HostCountry, "countries" | "how"> {
  const country = countryOfDomain(hostname);
  const domain = hostname.slice(hostname.lastIndexOf("."));
  return country === null
    ? { countries: [], how: `${why}, and its domain names no country` }
    : { countries: [country], how: `${why}, and its domain ${domain} stands for ${describeCountry(country)}` };
}

function describeCountry(code: string): string {
  return `${countryName(code) ?? "the country"} (${code})`;
}

/** Why a host is not in one of these countries; null if it is, or if its country is not known. */
export function refuseCountry({ countries, how }: HostCountry, wanted: readonly string[]): string | null {
  return countries.length === 0 || countries.some((country) => wanted.includes(country)) ? null : how;
}
