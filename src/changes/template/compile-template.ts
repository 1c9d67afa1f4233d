import { type CompiledNoise, compileNoise } from "../noise/compile-noise.ts";
import { isOfKnownTexts } from "../noise/noise-place.ts";
import { hashOf } from "../page-version.ts";
import type { HostTemplate } from "./host-template.ts";
import { isEverywhere, type SharedPage } from "./shared-rounds.ts";
import { isOfTemplate } from "./template-blocks.ts";

/** Makes a host's table ready for use. */

/** A block on so many pages frames slots: others of the template may be items of a random list. */
const LEAST_FRAME_SHARE = 0.95;

/** A template that is ready for use on one page. */
export interface CompiledTemplate {
  /** Hashes of the masked blocks. */
  blocks: ReadonlySet<string>;
  /** Those of `blocks` that are on nearly all pages. */
  frame: ReadonlySet<string>;
  noise: CompiledNoise;
  /** Whether a folded block has come or gone between two looks at a page, in its content or around it. */
  comesAndGoes(text: string): boolean;
  /**
   * Whether the text of a template's block may be a page's own, because it did not come or go on most pages at once.
   */
  isOwn(text: string, masked: string): boolean;
}

/**
 * `noise`: the places that are left out of the page (`noiseOn`).
 */
export function compileTemplate(
  { blocks, pages, rounds = {}, noise: table = {}, fleeting = {}, fleetingAround = {} }: HostTemplate,
  noise: readonly string[],
  page: SharedPage,
): CompiledTemplate {
  const shared = Object.entries(blocks).filter(([, spread]) => isOfTemplate(spread, pages));
  const isOfKnown = (place: string) => {
    const evidence = table[place];
    return evidence !== undefined && isOfKnownTexts(evidence);
  };
  const least = LEAST_FRAME_SHARE * pages;
  return {
    blocks: new Set(shared.map(([hash]) => hash)),
    frame: new Set(shared.filter(([, [count]]) => count >= least).map(([hash]) => hash)),
    noise: compileNoise(noise, isOfKnown),
    comesAndGoes: (text) => [fleeting, fleetingAround].some((texts) => texts[hashOf(text)] !== undefined),
    isOwn: (text, masked) => ![`+${hashOf(text)}`, `n${masked}`].some((key) => isEverywhere(rounds, key, page)),
  };
}
