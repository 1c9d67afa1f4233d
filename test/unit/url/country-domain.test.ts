import { expect, test } from "vitest";
import { countryName, countryOfDomain } from "../../../src/url/country-domain.ts";

test.each([
  ["www.a.de", "DE"],
  ["a.com.tw", "TW"],
  ["a.co.uk", "GB"],
  ["a.xn--p1ai", "RU"],
  ["a.com", null],
  ["a.eu", null],
  ["a.io", null],
  ["a.zz", null],
  ["a.example", null],
  ["localhost", null],
  ["192.168.0.1", null],
  ["[2001:da8::1]", null],
])("the domain of %s stands for %s", (hostname, country) => {
  expect(countryOfDomain(hostname)).toBe(country);
});

test.each([
  ["CN", "China"],
  ["TW", "Taiwan"],
  ["cn", null],
  ["EU", null],
  ["ZZ", null],
  ["UK", null],
  ["CHN", null],
  ["", null],
])("%s is %s", (code, name) => {
  expect(countryName(code)).toBe(name);
});
