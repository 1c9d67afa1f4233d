import { describe, expect, test } from "vitest";
import { decideHostFailure } from "../../../src/host/host-failure.ts";

/** When a failed URL makes its host rest, and when it only delays that URL. */

describe("decideHostFailure", () => {
  const answer = { httpStatus: 200 };
  const dropped = { httpStatus: null, dropped: true };
  const overload = { httpStatus: 503, hostFailed: true };
  const silence = { httpStatus: null, hostFailed: true };
  const notSent = { httpStatus: null };
  const decideAll = (before: number, ...fetches: Parameters<typeof decideHostFailure>[1][]) => {
    let drops = before;
    return fetches.map((fetch) => {
      const decision = decideHostFailure(drops, fetch);
      drops = decision.drops;
      return decision.failed;
    });
  };
  test.each([
    ["an answer", 0, [answer], [false]],
    ["429 and 503", 0, [overload], [true]],
    ["silence, refusal, an unknown name", 0, [silence], [true]],
    ["three dropped requests beside each other", 0, [answer, dropped, dropped, dropped, answer], Array(5).fill(false)],
    ["the fifth in a row", 0, Array(6).fill(dropped), [false, false, false, false, true, true]],
    ["the fifth in a row, over lanes of one URL each", 4, [dropped], [true]],
    ["an answer between them", 4, [answer, dropped], [false, false]],
    ["a fetch that was not sent between them", 3, [dropped, notSent, dropped], [false, false, true]],
  ])("%s", (_, before, fetches, expected) => {
    expect(decideAll(before, ...fetches)).toEqual(expected);
  });
});
