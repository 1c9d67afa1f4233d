/**
 * Arbitrary URLs for the property tests of canonicalization and of the mirror's names: made of the parts for which they
 * have rules.
 */

import fc from "fast-check";

const pieces = [
  ..."abfASxz0419/..;:~%?&=#-_\\|*()[]{}!$'+,@^\"<> ",
  "%2",
  "%4",
  "%2e",
  "%2F",
  "%41",
  "%61",
  "%7E",
  "%25",
  "%3a",
  "%E4",
  "%c3",
  "%%",
  "utm_a",
  "gclid=1",
  "cfid=1",
  "&cftoken=2",
  "sid=9682993c8daa2c5497996114facdc805",
  ";jsessionid=1",
  "/(S(4hqa0555fwsecu455xqckv45))",
  "index",
  ".html",
  "index.html",
  "con",
  "~~",
];

const hosts = [
  "example.com",
  "EXAMPLE.com.",
  "www.example.com",
  "127.0.0.1",
  "0x7f.1",
  "[::1]",
  "[2001:db8::1]",
  "a~b",
  "con",
  "con.d",
  "a..",
  "*.a",
];
const ports = ["", "", "", ":80", ":443", ":8080"];
const users = ["", "", "", "u@", "u:p%40@"];

export const messyTail = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(""));

export const messyUrl = fc
  .tuple(
    fc.constantFrom("http", "https"),
    fc.constantFrom(...users),
    fc.constantFrom(...hosts),
    fc.constantFrom(...ports),
    fc.constantFrom("/", "/", "/", "?", "#", ""),
    messyTail,
  )
  .map(([scheme, user, host, port, start, tail]) => `${scheme}://${user}${host}${port}${start}${tail}`);
