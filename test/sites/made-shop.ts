/** Shops whose values are known: pages of two templates, with what some pages lack, and forms that few pages have. */

export interface ShopValues {
  name: string;
  price: number | null;
  inStock: boolean;
  brand: string | null;
  features: string[] | null;
}

export interface ShopPage {
  path: string;
  html: string;
  values: ShopValues;
  /** The words of the page for each value. */
  words: Record<string, string>;
}

const BRANDS = ["Bosch", "Makita", "Metabo", "Hilti", "Fein"];
const TOOLS = ["Drill", "Saw", "Sander", "Grinder", "Router", "Planer"];
const STATES = [
  ["In stock", true],
  ["Sold out", false],
  ["Ships in a week", true],
] as const;

/** Page `i` of the template: `p` has elements with classes, and sales; `item` has a table with labels. */
export function shopPage(template: "p" | "item", i: number): ShopPage {
  const pick = <T>(list: readonly T[], by: number) => list[(i * by + (i % 7)) % list.length] as T;
  const [state, inStock] = i % 9 === 0 ? STATES[2] : pick(STATES.slice(0, 2), 5);
  const name = `${pick(TOOLS, 3)} ${i} W`;
  const brand = i % 4 === 3 ? null : pick(BRANDS, 2);
  const price = i % 17 === 16 ? null : 10 + ((i * 37) % 990) + 0.5;
  const shown = price === null ? "" : `$${price.toFixed(2)}`;
  const features = i % 5 === 4 ? null : [`Gear ${i % 3}`, `Case ${i % 11}`];
  const words: Record<string, string> = { "/name": name, "/inStock": state };
  if (price !== null) words["/price"] = shown;
  if (brand !== null) words["/brand"] = brand;
  for (const [at, feature] of (features ?? []).entries()) words[`/features/${at}`] = feature;
  const list =
    features === null ? "" : `<ul class="features">${features.map((each) => `<li>${each}</li>`).join("")}</ul>`;
  const isSale = template === "p" && i % 3 === 1 && price !== null;
  const priced = isSale
    ? `<div class="price"><s class="old">$${(Number(price) + 100).toFixed(2)}</s> <b class="now">${shown}</b></div>`
    : `<div class="price"><span class="amount">${shown}</span></div>`;
  const body =
    template === "p"
      ? `<h1>${name}</h1>${brand === null ? "" : `<p class="brand">${brand}</p>`}${price === null ? "" : priced}<p class="stock">${state}</p>${list}`
      : `<h1>${name}</h1><table><tr><th>Maker</th><td>${brand ?? ""}</td></tr><tr><th>Price</th><td>${shown}</td></tr><tr><th>State</th><td>${state}</td></tr></table>${list}`;
  const text = "A good tool for walls of stone and of brick. It has a cable of three metres and a case for its parts.";
  return {
    path: `/${template}/${template === "p" ? "a" : "b"}-${i}`,
    html: `<html lang="en"><head><title>${name}</title></head><body><nav><a href="/">Home</a></nav><main>${body}<p>${text}</p><p class="also">Others paid $${((i * 13) % 50) + 1}.00 for shipping.</p></main></body></html>`,
    values: { name, price, inStock, brand, features },
    words,
  };
}

export const SHOP_SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string" },
    price: { type: "number" },
    inStock: { type: "boolean" },
    brand: { type: "string" },
    features: { type: "array", items: { type: "string" } },
  },
};

/** What a model answers that reads well. */
export function answerOf({ values, words }: ShopPage): {
  values: ShopValues;
  evidence: { path: string; words: string }[];
} {
  return { values, evidence: Object.entries(words).map(([path, each]) => ({ path, words: each })) };
}
