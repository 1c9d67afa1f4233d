import type { HostTemplate } from "./host-template.ts";
import { isBesideTemplate, isOfTemplate } from "./template-blocks.ts";
import {
  changesOften,
  endsByStart,
  isVolatile,
  LEAST_CHANGES,
  LEAST_LOOKS,
  type SlotCounts,
} from "./template-slots.ts";

/** Makes a host's table ready for use. */

/** A block on so many pages frames slots: others of the template may be items of a random list. */
const LEAST_FRAME_SHARE = 0.95;

/** A template that is ready for use. */
export interface CompiledTemplate {
  /** Hashes of the masked blocks. */
  blocks: ReadonlySet<string>;
  /** Hashes of the masked blocks that are the template where they stand beside another block of it. */
  beside: ReadonlySet<string>;
  /** Those of `blocks` that are on nearly all pages. */
  frame: ReadonlySet<string>;
  /** For a block that begins a volatile slot, the blocks that may end it. */
  slots: ReadonlyMap<string, ReadonlySet<string>>;
}

export function compileTemplate(template: HostTemplate): CompiledTemplate {
  const blocks = Object.entries(template.blocks).filter(([, spread]) => isOfTemplate(spread, template));
  const beside = Object.entries(template.blocks).filter(([, spread]) => isBesideTemplate(spread));
  const least = LEAST_FRAME_SHARE * template.pages;
  const frame = new Set(blocks.filter(([, [count]]) => count >= least).map(([hash]) => hash));
  const volatile = Object.entries(template.slots)
    .filter(([slot, counts]) => isVolatile(slot, counts, frame))
    .map(([slot]) => slot);
  return {
    blocks: new Set(blocks.map(([hash]) => hash)),
    beside: new Set(beside.map(([hash]) => hash)),
    frame,
    slots: endsByStart(volatile),
  };
}

/**
 * The template if all slots that may be volatile were: those that change often, though second looks have not found so,
 * and those between two blocks of the template that changed whenever they were seen. What is left of a change under it
 * is no matter of such slots.
 */
export function withYoungSlots(template: HostTemplate): HostTemplate {
  const { blocks } = compileTemplate(template);
  const slots = Object.entries(template.slots).map(([slot, counts]): [string, SlotCounts] => {
    const isFramed = slot.split(">").every((end) => blocks.has(end));
    const isYoung = isFramed && counts[1] === 0;
    return [slot, isYoung || changesOften(counts) ? [LEAST_CHANGES, 0, LEAST_LOOKS] : counts];
  });
  return { ...template, slots: Object.fromEntries(slots) };
}
