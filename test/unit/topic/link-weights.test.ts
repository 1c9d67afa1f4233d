import { describe, expect, test } from "vitest";
import { addLinks, NO_LINKS, STARTING_WEIGHTS, weighLink, weightsOf } from "../../../src/topic/weights/link-weights.ts";

const FEATURES = { page: 0.2, text: 0.2, host: 0.2 };
const many = (found: typeof FEATURES, relevance: number) => Array(400).fill({ found, relevance });

describe("the weights of a link's score", () => {
  test("are those that a crawl starts with, until links were followed", () => {
    expect(weightsOf(NO_LINKS)).toEqual(STARTING_WEIGHTS);
  });

  test.each(["page", "text", "host"] as const)("move to %s where it tells what links lead to", (told) => {
    const links = [...many({ ...FEATURES, [told]: 0.9 }, 0.95), ...many({ ...FEATURES, [told]: 0.1 }, 0.02)];
    expect(weightsOf(addLinks(NO_LINKS, links))[told]).toBeGreaterThan(STARTING_WEIGHTS[told]);
  });

  test("a link's score is between its features, and is each of them where all agree", () => {
    expect(weighLink(STARTING_WEIGHTS, { page: 0.7, text: 0.7, host: 0.7 })).toBeCloseTo(0.7);
    const mixed = weighLink(STARTING_WEIGHTS, { page: 0.9, text: 0.1, host: 0.3 });
    expect(mixed).toBeGreaterThan(0.1);
    expect(mixed).toBeLessThan(0.9);
  });
});
