import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalize } from "../../../src/url/canonicalize.ts";
import { hostKey } from "../../../src/url/host-key.ts";
import { isPublicHost } from "../../../src/url/public-address.ts";
import { NO_HOSTS, PRIVATE_HOSTS, PUBLIC_HOSTS } from "./private-hosts.ts";

/** The first and last address of each block, and their neighbours outside. */
const PRIVATE = `
  0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255 168.63.129.16
  169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.255 192.0.2.1 192.88.99.1
  192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.1 203.0.113.255 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
  2130706433 0x7f.1 0177.0.0.1 127.1 0 127.0.0.1. 10.0.0.1.
  [::] [::1] [::ffff:8.8.8.8] [::ffff:10.0.0.1] [::8.8.8.8] [64:ff9b::808:808] [64:ff9b:1::1] [100::1]
  [2001::1] [2001:0:4136:e378::] [2001:2::1] [2001:10::1] [2001:20::1] [2001:1ff::1] [2001:db8::1] [2002:808:808::1] [3fff::1] [3fff:fff::1]
  [5f00::1] [fc00::1] [fdff::1] [fe80::1] [febf::1] [fec0::1] [ff02::1] [4000::1] [1fff::1]
  localhost LOCALHOST localhost. a.localhost a.b.LOCALHOST. printer.local router.home.arpa metadata.google.internal a.internal intranet
  con 1a`;

const PUBLIC = `
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15 168.63.129.17 169.253.255.255
  169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
  223.255.255.255 134744072 0x8.0x8.2056
  [2606:4700::1111] [2001:200::1] [2001:4860:4860::8888] [2001:db7::1] [2001:db9::1] [2003::1] [2620:4f:8000::1] [3fff:1000::1] [2000::1] [3ffe::1]
  example.com EXAMPLE.com example.com. 127.0.0.1.example.com local.example notlocal.localhost.com 10.example a_b.example.com
  xn--bcher-kva.example bücher.example localhost.example.com`;

const words = (text: string) => text.trim().split(/\s+/);

test.each(words(PRIVATE))("%s is private", (host) => expect(isPublicHost(host)).toBe(false));
test.each(words(PUBLIC))("%s is public", (host) => expect(isPublicHost(host)).toBe(true));

describe("any spelling", () => {
  /** The host as written, and as `canonicalize` gives it. */
  const judge = (host: string) => [
    isPublicHost(host),
    isPublicHost(hostKey(canonicalize(`http://${host}/`) ?? "http:///")),
  ];
  describe.each(Object.entries(PRIVATE_HOSTS))("%s", (_, hosts) => {
    test.each(hosts)("%s is private", (host) => expect(judge(host)).toEqual([false, false]));
  });
  test.each(PUBLIC_HOSTS)("%s is public", (host) => expect(judge(host)).toEqual([true, true]));
  test.each(NO_HOSTS)("%s is no host", (host) => {
    expect(isPublicHost(host)).toBe(false);
    expect(canonicalize(`http://${host}/`)).toBeNull();
  });
});

describe("text that is no host is not public", () => {
  test.each([
    "",
    ".",
    "..",
    "a b.example",
    "example.com/",
    "example.com@10.0.0.1",
    "x@example.com",
    "example.com?",
    "example.com#",
    "[::1",
    "256.1.1.1",
    "1.2.3.4.5",
  ])("%j", (host) => expect(isPublicHost(host)).toBe(false));
});

test("any spelling that WHATWG URL accepts is judged as the address that it is", () => {
  const spelled = fc.tuple(fc.nat(0xffffffff), fc.constantFrom(10, 16, 8)).map(([bits, radix]) => {
    const prefix = radix === 16 ? "0x" : radix === 8 ? "0" : "";
    return `${prefix}${bits.toString(radix)}`;
  });
  fc.assert(
    fc.property(spelled, (host) => {
      expect(isPublicHost(host)).toBe(isPublicHost(new URL(`http://${host}/`).hostname));
    }),
  );
});
