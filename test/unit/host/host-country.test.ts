import { expect, test } from "vitest";
import { findCountries, refuseCountry } from "../../../src/host/host-country.ts";

const CHINA = { countries: ["CN"] };
const NOBODY_KNOWS = { countries: [] };

test.each([
  ["an address", "a.com", ["1.2.4.8"], { ...CHINA, how: "its address 1.2.4.8 is in China (CN)" }],
  ["an address, whatever the domain", "a.de", ["1.2.4.8"], CHINA],
  ["an address as the host", "1.2.4.8", ["1.2.4.8"], CHINA],
  [
    "addresses in two countries",
    "a.com",
    ["1.2.4.9", "1.2.4.8", "168.95.1.1"],
    { countries: ["CN", "TW"], how: "its address 1.2.4.8 is in China (CN), its address 168.95.1.1 is in Taiwan (TW)" },
  ],
  ["IPv6 beside IPv4", "a.com", ["[2001:da8::1]", "1.2.4.8"], CHINA],
  [
    "a content delivery network",
    "a.co.uk",
    ["104.16.1.1"],
    {
      countries: ["GB"],
      how: "its address 104.16.1.1 belongs to Cloudflare, and its domain .uk stands for United Kingdom (GB)",
    },
  ],
  [
    "one of several addresses on it",
    "a.cn",
    ["168.95.1.1", "151.101.1.1"],
    { ...CHINA, how: expect.stringContaining("151.101.1.1 belongs to Fastly") },
  ],
  [
    "a generic domain on it",
    "a.com",
    ["104.16.1.1"],
    { ...NOBODY_KNOWS, how: "its address 104.16.1.1 belongs to Cloudflare, and its domain names no country" },
  ],
  ["a country's domain in general use", "a.io", ["104.16.1.1"], NOBODY_KNOWS],
  [
    "IPv6 alone",
    "a.xn--fiqs8s",
    ["[2001:da8::1]"],
    { ...CHINA, how: "no address of it has a known country, and its domain .xn--fiqs8s stands for China (CN)" },
  ],
  ["no address", "a.cn", [], CHINA],
  ["a private address", "intern", ["10.0.0.1"], NOBODY_KNOWS],
  ["this machine", "localhost", ["127.0.0.1", "[::1]"], NOBODY_KNOWS],
  ["an IPv6 address as the host", "[::1]", ["[::1]"], NOBODY_KNOWS],
])("the country of %s", async (_, hostname, addresses, expected) => {
  expect(await findCountries(hostname, addresses)).toMatchObject(expected);
});

test.each([
  [["CN"], ["CN", "TW"], null],
  [["CN"], ["TW"], "why"],
  [["CN", "TW"], ["TW"], null],
  [[], ["TW"], null],
])("a host in %j for a crawl of %j", (countries, wanted, expected) => {
  expect(refuseCountry({ state: "known", countries, how: "why", until: 0 }, wanted)).toBe(expected);
});
