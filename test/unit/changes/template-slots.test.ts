import { expect, test } from "vitest";
import { hashOf } from "../../../src/changes/page-version.ts";
import { foldText, maskText } from "../../../src/changes/template/mask-text.ts";
import { learnSlots, type SlotCounts } from "../../../src/changes/template/template-slots.ts";
import { prose, version } from "./version.ts";

/** The counts of the slot between two blocks of the template. */

const hashed = (text: string) => hashOf(maskText(foldText(text)));
const FRAME = new Set(["Menu", "Footer"].map(hashed));
const SLOT = ["Menu", "Footer"].map(hashed).join(">");
const page = (teaser: string) => version([...[1, 2, 3, 4].map(prose), "Menu", teaser, "Footer"]);

test.each<[string, SlotCounts | undefined, { to: string; visits: number; isSecondLook: boolean }, SlotCounts]>([
  ["a first change", undefined, { to: "Plums", visits: 3, isSecondLook: false }, [1, 2]],
  ["another change", [1, 2], { to: "Plums", visits: 3, isSecondLook: false }, [2, 4]],
  ["a change at a second look", [1, 2], { to: "Plums", visits: 1, isSecondLook: true }, [2, 2, 1]],
  ["a change after a second look", [1, 2, 1], { to: "Plums", visits: 1, isSecondLook: false }, [2, 2, 1]],
  ["no change", [1, 2], { to: "Apples", visits: 3, isSecondLook: false }, [1, 5]],
  ["no change after a second look", [1, 2, 1], { to: "Apples", visits: 3, isSecondLook: false }, [1, 5, 1]],
  ["a change where it changes often", [4, 0], { to: "Plums", visits: 3, isSecondLook: false }, [5, 0]],
  ["no change where it changes often", [4, 0], { to: "Apples", visits: 3, isSecondLook: false }, [4, 1]],
])("%s", (_, known, { to, ...look }, expected) => {
  const slots = new Map(known === undefined ? [] : [[SLOT, known]]);
  learnSlots(slots, { blocks: FRAME, frame: FRAME }, { before: page("Apples"), after: page(to), ...look });
  expect(slots.get(SLOT)).toEqual(expected);
});
