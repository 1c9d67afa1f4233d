import * as z from "zod";
import { canonicalLanguage } from "../../scope/language-range.ts";
import { countryName } from "../../url/country-domain.ts";

/** Fields of requests that name languages and countries. */

const MAX_NAMED = 100;
/** Longer tags are rare: RFC 5646 asks for room for 35 characters. */
const MAX_TAG = 35;
/** Codes that people write, and those of ISO 3166-1. */
const MISTAKEN: Record<string, string> = { UK: "GB", EL: "GR" };

export const languageRange = z
  .string()
  .min(2)
  .max(MAX_TAG)
  .refine((written) => canonicalLanguage(written) !== null, {
    error: "it is no language tag, such as de, pt-BR or zh-Hant",
  })
  .overwrite((written) => canonicalLanguage(written) ?? written);

const countryCode = z
  .string()
  .length(2)
  .refine((written) => countryName(written.toUpperCase()) !== null, {
    error: ({ input }) => {
      const right = MISTAKEN[String(input).toUpperCase()];
      const hint = right === undefined ? "such as DE or TW" : `which is ${right} here`;
      return `it is no country code of two letters (ISO 3166-1), ${hint}`;
    },
  })
  .overwrite((written) => written.toUpperCase());

export const languageRanges = z.array(languageRange).max(MAX_NAMED);
export const countryCodes = z.array(countryCode).max(MAX_NAMED);
