/**
 * Shops and blogs from templates: pages with menus, teasers, notices and legal text that all have in common, and with
 * short true lines that some of them share. `own` is what a person would mark on a page.
 */

export interface TemplatePage {
  url: string;
  html: string;
  own: readonly string[];
}

export interface TemplateSite {
  name: string;
  pages: readonly TemplatePage[];
}

/** A sequence that follows from its seed. */
class Numbers {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed + 1) * 2_654_435_761;
  }

  below(most: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return (this.#state >>> 8) % most;
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

const NOUNS =
  "lamp,chair,kettle,blanket,drawer,ladder,mirror,basket,hammer,bottle,carpet,window,garden,river,harbour,orchard,letter,winter,engine,violin,market,museum,island,valley,bridge,canal,forest,kitchen,library,workshop".split(
    ",",
  );
const VERBS =
  "holds,carries,keeps,shows,warms,lights,follows,crosses,measures,covers,opens,joins,bears,turns,reaches,fills".split(
    ",",
  );
const MODES =
  "slowly,by hand,in the evening,without noise,for many years,at low cost,with care,in all weathers,near the door,under the roof,on rainy days,since the spring".split(
    ",",
  );
const KINDS =
  "narrow,heavy,quiet,oak,brass,woollen,folding,painted,northern,small,patient,glazed,curved,old,public,hidden".split(
    ",",
  );

function sentence(numbers: Numbers): string {
  const [a, b, c] = [numbers.of(NOUNS), numbers.of(NOUNS), numbers.of(NOUNS)];
  const text = `The ${numbers.of(KINDS)} ${a} ${numbers.of(VERBS)} the ${numbers.of(KINDS)} ${b} ${numbers.of(MODES)}, and a ${numbers.of(KINDS)} ${c} ${numbers.of(VERBS)} it ${numbers.of(MODES)}.`;
  return text;
}

function paragraph(numbers: Numbers): string {
  return Array.from({ length: 2 + numbers.below(4) }, () => sentence(numbers)).join(" ");
}

function title(numbers: Numbers): string {
  const words = `${numbers.of(KINDS)} ${numbers.of(NOUNS)} ${numbers.of(KINDS)} ${numbers.of(NOUNS)}`;
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** What a page says, and what stands around it. */
interface Parts {
  title: string;
  paragraphs: string[];
  /** Lines that some siblings have too, each fewer than half. */
  shared: string[];
  /** Names and values, the values of few kinds. */
  specs: [name: string, value: string][];
  teasers: string[];
}

interface Layout {
  name: string;
  kind: "shop" | "blog";
  write(parts: Parts, site: Common): string;
}

/** What all pages of a site have. */
interface Common {
  name: string;
  menu: string[];
  popular: string[];
  notices: string[];
  legal: string[];
}

const links = (texts: readonly string[], tag = "li") =>
  texts.map((text) => `<${tag}><a href="/go/${text.length}">${text}</a></${tag}>`).join("");
const each = (texts: readonly string[], tag: string) => texts.map((text) => `<${tag}>${text}</${tag}>`).join("");
const rows = (specs: Parts["specs"]) =>
  specs.map(([name, value]) => `<tr><th>${name}</th><td>${value}</td></tr>`).join("");
const pairs = (specs: Parts["specs"]) => specs.map(([name, value]) => `<p>${name}: ${value}</p>`).join("");

const LAYOUTS: readonly Layout[] = [
  {
    name: "with elements that tell",
    kind: "shop",
    write: ({ title, paragraphs, shared, specs, teasers }, { menu, popular, legal, notices }) =>
      `<header><nav><ul>${links(menu)}</ul></nav></header><main><h1>${title}</h1>${each(paragraphs, "p")}${each(shared, "p")}<h2>Details</h2>
      <table>${rows(specs)}</table><h2>Delivery</h2>${each(legal, "p")}<section><h2>You may also like</h2><ul>${links(teasers)}</ul></section>
      <div><h2>Best sellers</h2><ul>${links(popular)}</ul></div></main><footer>${each(notices, "p")}</footer>`,
  },
  {
    name: "of divs without names",
    kind: "shop",
    write: ({ title, paragraphs, shared, specs, teasers }, { menu, popular, legal, notices }) =>
      `<div class="a1">${links(menu, "div")}</div><div class="a2"><div>${each(notices, "p")}</div><div class="b7"><h1>${title}</h1>
      ${each(paragraphs, "p")}${each(shared, "p")}${pairs(specs)}</div><div>${each(legal, "p")}</div><div>${links(popular, "div")}</div>
      <div>${links(teasers, "div")}</div></div>`,
  },
  {
    name: "with tabs",
    kind: "shop",
    write: ({ title, paragraphs, shared, specs, teasers }, { menu, popular, legal, notices }) =>
      `<div id="top"><ul class="m">${links(menu)}</ul></div><div class="product"><h1>${title}</h1><div class="tab"><h2>Description</h2>${each(paragraphs, "p")}
      </div><div class="tab"><h2>Specification</h2><dl>${specs.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join("")}</dl>${each(shared, "p")}</div>
      <div class="tab"><h2>Shipping and returns</h2>${each(legal, "p")}</div></div><div class="cards"><h2>Popular</h2>${links(popular, "p")}</div>
      <div class="cards"><h2>Related</h2>${links(teasers, "p")}</div><div class="end">${each(notices, "p")}</div>`,
  },
  {
    name: "in a table",
    kind: "shop",
    write: ({ title, paragraphs, shared, specs, teasers }, { menu, popular, legal, notices }) =>
      `<table role="presentation"><tr><td>${links(menu, "div")}</td><td><h2>${title}</h2>${each(paragraphs, "p")}${each(shared, "p")}
      ${pairs(specs)}${each(legal, "p")}<div>${links(teasers, "span")}</div></td><td>${links(popular, "div")}${each(notices, "p")}</td></tr></table>`,
  },
  {
    name: "of a marketplace",
    kind: "shop",
    write: ({ title, paragraphs, shared, specs, teasers }, { menu, popular, legal, notices }) =>
      `<div class="bar">${links(menu, "span")}</div><article><h1>${title}</h1><ul class="facts">${each(
        specs.map(([name, value]) => `${name} ${value}`),
        "li",
      )}</ul>
      ${each(paragraphs, "p")}${each(shared, "p")}<h3>About this seller</h3>${each(legal, "p")}</article><div><h3>Customers also viewed</h3>
      <ul>${links(teasers)}</ul><h3>Top of the week</h3><ol>${links(popular)}</ol></div><div>${each(notices, "p")}</div>`,
  },
  {
    name: "of a catalogue",
    kind: "shop",
    write: ({ title, paragraphs, shared, specs, teasers }, { menu, popular, legal, notices }) =>
      `<div class="page"><p>${menu.join(" · ")}</p><h1>${title}</h1><p>${paragraphs.join("</p><p>")}</p>${pairs(specs)}${each(shared, "p")}
      <h4>Good to know</h4>${each(legal, "p")}${each(notices, "p")}<h4>More from the catalogue</h4>${links(teasers, "div")}${links(popular, "div")}</div>`,
  },
  {
    name: "with a sidebar",
    kind: "blog",
    write: ({ title, paragraphs, shared, teasers }, { menu, popular, legal, notices }) =>
      `<div id="page"><div class="menu"><ul>${links(menu)}</ul></div><div id="primary"><article><h1>${title}</h1>${each(shared.slice(0, 1), "p")}
      ${each(paragraphs, "p")}${each(shared.slice(1), "p")}<p>${legal[0]}</p></article></div><div id="secondary"><h3>Recent posts</h3><ul>${links(teasers)}</ul>
      <h3>Archives</h3><ul>${links(popular)}</ul></div><div>${each(notices, "p")}</div></div>`,
  },
  {
    name: "of divs alone",
    kind: "blog",
    write: ({ title, paragraphs, shared, teasers }, { menu, popular, legal, notices }) =>
      `<div><div>${links(menu, "div")}</div><div><div>${title}</div>${each(paragraphs, "div")}${each(shared, "div")}</div><div>${each(legal, "div")}</div>
      <div>${links(popular, "div")}${links(teasers, "div")}</div><div>${each(notices, "div")}</div></div>`,
  },
  {
    name: "with cards",
    kind: "blog",
    write: ({ title, paragraphs, shared, teasers }, { menu, popular, legal, notices }) =>
      `<header><a href="/">Home</a> ${links(menu, "span")}</header><main><article><h1>${title}</h1>${each(paragraphs.slice(0, 1), "p")}
      <aside>${each(notices, "p")}</aside>${each(paragraphs.slice(1), "p")}${each(shared, "p")}</article><section class="subscribe"><h2>Subscribe</h2>
      ${each(legal, "p")}</section><section><h2>Read next</h2>${teasers.map((text) => `<div><h3>${text}</h3><p>${text} and more</p></div>`).join("")}</section>
      <section><h2>Most read</h2><ol>${links(popular)}</ol></section></main>`,
  },
  {
    name: "of a newspaper",
    kind: "blog",
    write: ({ title, paragraphs, shared, teasers }, { menu, popular, legal, notices }) =>
      `<div class="h">${links(menu, "b")}</div><div class="s"><h1>${title}</h1>${each(paragraphs.slice(0, 2), "p")}<div>${each(legal, "p")}</div>
      ${each(paragraphs.slice(2), "p")}${each(shared, "p")}</div><div class="t"><h2>Most popular</h2>${links(popular, "p")}<h2>Today</h2>${links(teasers, "p")}
      ${each(notices, "p")}</div>`,
  },
  {
    name: "with an essay",
    kind: "blog",
    write: ({ title, paragraphs, shared, teasers }, { menu, popular, legal, notices }) =>
      `<nav>${links(menu, "span")}</nav><main><h1>${title}</h1>${each(paragraphs, "p")}<blockquote>${each(shared, "p")}</blockquote><hr>${each(legal, "p")}
      <h2>Elsewhere</h2><ul>${links(popular)}${links(teasers)}</ul>${each(notices, "p")}</main>`,
  },
];

const SPECS: readonly [name: string, values: readonly string[]][] = [
  ["Colour", ["black", "white", "oak", "brass", "blue"]],
  ["Material", ["steel", "birch", "wool", "glass"]],
  ["Made in", ["Portugal", "Poland", "Japan", "Denmark"]],
  ["Weight", ["one kilogram", "two kilograms", "half a kilogram"]],
];
const TRUE_LINES = [
  "This model is no longer made.",
  "It is free of lead.",
  "Not for use outdoors.",
  "First printed in the members' letter.",
  "With thanks to the harbour office.",
];
const MENU =
  "Home,Catalogue,New arrivals,Gift cards,Our story,Journal,Help and contact,Sign in,Wish list,Stores near you".split(
    ",",
  );
const NOTICES = [
  "All prices include value added tax.",
  "Sign up for our letter and be the first to know of new things every second Thursday.",
  "We use cookies to remember your basket. You may refuse them at any time.",
];
const LEGAL = [
  "Orders that reach us before noon leave our warehouse on the same day, and arrive within two to four working days.",
  "You may send back whatever you do not like within thirty days, in its box and unused, and we will return your money.",
];

/** `count` items of each site, some lists of them, and a few other pages. */
export function templateSites(count = 40): TemplateSite[] {
  return LAYOUTS.map((layout, at) => makeSite(layout, at, count));
}

function makeSite(layout: Layout, seed: number, count: number): TemplateSite {
  const numbers = new Numbers(seed * 7_919 + 13);
  const origin = `https://${layout.kind}-${seed}.test`;
  const titles = Array.from({ length: count }, (_, at) => `${title(numbers)} ${at + 1}`);
  const site: Common = {
    name: layout.name,
    menu: MENU.slice(0, 5 + (seed % 5)),
    popular: titles.slice(0, 4),
    notices: NOTICES.slice(0, 1 + (seed % 3)),
    legal: LEGAL,
  };
  let item = 0;
  const add = (path: string, heading: string, paragraphs: string[], isItem: boolean): TemplatePage => {
    // Each on two of five siblings, and each value on a third at most.
    const shared = isItem ? TRUE_LINES.filter((_, line) => (item * 3 + line) % 5 < 2) : [];
    const specs = SPECS.map(([name, values], spec): [string, string] => [
      name,
      values[(item + spec) % values.length] ?? "",
    ]);
    if (isItem) item += 1;
    const teasers = [numbers.of(titles), numbers.of(titles), numbers.of(titles)];
    const hasSpecs = isItem && layout.kind === "shop";
    const parts = { title: heading, paragraphs, shared, specs: hasSpecs ? specs : [], teasers };
    const body = layout.write(parts, site);
    const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${heading} - ${layout.kind} ${seed}</title></head><body>${body}</body></html>`;
    return { url: origin + path, html, own: [heading, ...paragraphs, ...shared, ...parts.specs.flat()] };
  };
  const many = (length: number) => Array.from({ length }, () => paragraph(numbers));
  const folder = layout.kind === "shop" ? "products" : "posts";
  const pages = titles.map((heading) =>
    add(`/${folder}/${heading.toLowerCase().replaceAll(" ", "-")}`, heading, many(2 + numbers.below(5)), true),
  );
  for (let list = 0; list < 12; list++)
    pages.push(add(`/lists/${numbers.of(NOUNS)}-${list}`, title(numbers), many(1), false));
  for (const path of ["/about", "/contact", "/terms"]) pages.push(add(path, title(numbers), many(3), false));
  return { name: `a ${layout.kind} ${layout.name}`, pages };
}
