/** Tells the country of a host name by its top-level domain. */

/**
 * Top-level domains of countries that sites of any country use. Google's list of those that it treats as generic, and
 * some that are sold for their sound.
 * https://developers.google.com/search/docs/specialty/international/managing-multi-regional-sites
 */
const GENERIC = new Set(
  "ac ad ag ai am as bz cc cd cf co cx dj fm ga gg gl gq im io la ly me ml ms mu nu pw sc sh sr st su tk to tv vc ws".split(
    " ",
  ),
);

/** Top-level domains that are not the code of their country (ISO 3166-1), those in other scripts included. */
const OTHER_NAMES: Record<string, string> = {
  uk: "GB",
  "xn--3e0b707e": "KR",
  "xn--54b7fta0cc": "BD",
  "xn--80ao21a": "KZ",
  "xn--90a3ac": "RS",
  "xn--90ae": "BG",
  "xn--90ais": "BY",
  "xn--clchc0ea0b2g2a9gcd": "SG",
  "xn--d1alf": "MK",
  "xn--fiqs8s": "CN",
  "xn--fiqz9s": "CN",
  "xn--fzc2c9e2c": "LK",
  "xn--h2brj9c": "IN",
  "xn--j1amh": "UA",
  "xn--j6w193g": "HK",
  "xn--kprw13d": "TW",
  "xn--kpry57d": "TW",
  "xn--l1acc": "MN",
  "xn--lgbbat1ad8j": "DZ",
  "xn--mgba3a4f16a": "IR",
  "xn--mgbaam7a8h": "AE",
  "xn--mgbayh7gpa": "JO",
  "xn--mgbc0a9azcg": "MA",
  "xn--mgberp4a5d4ar": "SA",
  "xn--mix891f": "MO",
  "xn--node": "GE",
  "xn--o3cw4h": "TH",
  "xn--p1ai": "RU",
  "xn--pgbs0dh": "TN",
  "xn--qxam": "GR",
  "xn--wgbh1c": "EG",
  "xn--y9a3aq": "AM",
};

/** Codes that Intl names although they are no country's: unions, and areas that are reserved. */
const NO_COUNTRIES = new Set("EU EZ UN UK QO XA XB ZZ".split(" "));

let names: Intl.DisplayNames | undefined;

/** The English name of a country by its code of two capital letters (ISO 3166-1); null if there is no such code. */
export function countryName(code: string): string | null {
  if (!/^[A-Z]{2}$/.test(code) || NO_COUNTRIES.has(code)) return null;
  names ??= new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  return names.of(code) ?? null;
}

/** The code of the country that a host's top-level domain stands for; null for a generic one. */
export function countryOfDomain(hostname: string): string | null {
  const domain = hostname.slice(hostname.lastIndexOf(".") + 1);
  const other = OTHER_NAMES[domain];
  if (other !== undefined) return other;
  if (GENERIC.has(domain)) return null;
  const code = domain.toUpperCase();
  return countryName(code) === null ? null : code;
}
