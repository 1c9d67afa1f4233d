import { expect, test } from "vitest";
import { sniffType } from "../../../src/fetch/sniff.ts";

test.each([
  ["<!DOCTYPE html><title>x</title>", "text/html"],
  ["\n\t <HTML lang=en>", "text/html"],
  ["<!-- a -->", "text/html"],
  ["<p>x", "text/html"],
  ["<a href=/>x</a>", "text/html"],
  ["<abbr>x</abbr>", "text/plain"],
  ["<p", "text/plain"],
  ["a <p>x", "text/plain"],
  ["< p>", "text/plain"],
  ["", "text/plain"],
  ["plain words\r\n\f\t\x1b[1m", "text/plain"],
  ["naïve – €", "text/plain"],
  ['<?xml version="1.0"?><html>', "text/xml"],
  ["%PDF-1.7\n", "application/octet-stream"],
  ["GIF89a\x01\0", "application/octet-stream"],
  ["a\x0b", "application/octet-stream"],
  [`${"a".repeat(1_445)}\0`, "text/plain"],
  ["<p>\0", "text/html"],
])("%j is %s", (text, type) => expect(sniffType(text)).toBe(type));
