import { Draw, drawOf, framed, link, type Site } from "./page.ts";

/** Honest sites of many near-equal pages. Each page has something of its own, if only a number. */

/** How the pages are found: on pages of a list, on one another, or both. */
export const WAYS = ["lists", "one another", "both"] as const;
export type Way = (typeof WAYS)[number];

interface Kind {
  pathOf(i: number, draw: Draw): string;
  titleOf(i: number, draw: Draw): string;
  bodyOf(i: number, draw: Draw): string;
  nav?: readonly string[];
}

const DIAMETERS = [2, 3, 4, 5, 6, 8, 10, 12, 16, 20];
const VOCABULARY = Array.from({ length: 40 }, (_, i) => new Draw(i + 1).word());
const LOREM = Array.from({ length: 400 }, (_, i) => new Draw(i + 1_000).word());
const TEMPLATE = `<p>${new Draw(3).words(LOREM, 300)}.</p><ul><li>Free delivery</li><li>Returns within 30 days</li></ul>`;

const screw = (i: number) => ({
  diameter: DIAMETERS[i % DIAMETERS.length] ?? 2,
  length: 5 + (Math.floor(i / DIAMETERS.length) % 500),
});
const bounded = (i: number) => `${(1 + ((i * 37) % 60)) / 20} EUR`;

export const KINDS: Record<string, Kind> = {
  "products that differ in name, price and number": {
    pathOf: (i) => `/product/${i}`,
    titleOf: (i, draw) => `${draw.words(VOCABULARY, 2)} ${i}`,
    bodyOf: (_, draw) =>
      `${TEMPLATE}<p>Price: ${draw.between(1, 99)}.${draw.between(10, 99)} EUR</p><p>Article ${draw.between(100_000, 999_999)}</p>`,
  },
  "products of a number and a price": {
    pathOf: (i) => `/goods/${i}`,
    titleOf: (i) => `Product ${i}`,
    bodyOf: (i) => `${TEMPLATE}<p>Price ${bounded(i)}</p>`,
  },
  "products of a script": {
    pathOf: (i) => `/item.php?id=${i}`,
    titleOf: (_, draw) => draw.words(VOCABULARY, 3),
    bodyOf: (i, draw) => `${TEMPLATE}<p>Price: ${bounded(i)}</p><p>Weight: ${draw.between(1, 4_000)} g</p>`,
  },
  "screws, numbers that are not in the URL": {
    pathOf: (i) => `/part/${100_000 + i * 7}.html`,
    titleOf: (i) => `Screw M${screw(i).diameter}×${screw(i).length}`,
    bodyOf: (i) => `${TEMPLATE}<p>Length ${screw(i).length} mm</p><p>Price ${bounded(i)}</p>`,
  },
  "screws, numbers of the URL": {
    pathOf: (i) => `/screws/m${screw(i).diameter}x${screw(i).length}`,
    titleOf: (i) => `Screw M${screw(i).diameter}×${screw(i).length}`,
    bodyOf: (i) =>
      `${TEMPLATE}<p>Length ${screw(i).length} mm</p><p>Price ${bounded(i)}</p><p>Pack of ${50 * (1 + (i % 9))}</p><p>Strength ${(i * 13) % 70} kN</p>`,
  },
  "threads of a forum": {
    pathOf: (i) => `/viewtopic.php?t=${i}`,
    titleOf: (_, draw) => draw.words(LOREM, 5),
    bodyOf: (_, draw) =>
      Array.from(
        { length: 8 },
        () =>
          `<div><p>${link(`/user/${VOCABULARY[draw.below(40)]}`, "by a user")}</p><p>${draw.words(LOREM, draw.between(3, 40))}</p></div>`,
      ).join(""),
  },
  "entries of a glossary": {
    pathOf: (i) => `/define/${new Draw(i + 77).word()}-${i.toString(36).replace(/\d/g, "q")}`,
    titleOf: (i) => new Draw(i + 77).word(),
    bodyOf: (_, draw) => `<p>${draw.words(LOREM, 6)}.</p>`,
  },
  "pictures with a caption": {
    pathOf: (i) => `/photo/${i}`,
    titleOf: (i) => `Photo ${i}`,
    bodyOf: (i) => `<img src="/img/${i}.jpg" alt=""><p>Taken by us</p>`,
  },
  articles: {
    pathOf: (i, draw) => `/blog/${draw.words(LOREM, 4).replaceAll(" ", "-")}-${"abcdefghij"[i % 10]}${i}`,
    titleOf: (_, draw) => draw.words(LOREM, 4),
    bodyOf: (_, draw) => `<p>${draw.words(LOREM, 120)}</p><p>${draw.words(LOREM, 90)}</p>`,
  },
  "the same in three languages": {
    pathOf: (i) => `/${["en", "de", "fr"][i % 3]}/page-${Math.floor(i / 3)}`,
    titleOf: (i, draw) => `${draw.words(VOCABULARY, 2)} ${["one", "eins", "un"][i % 3]}`,
    bodyOf: (_, draw) => `<p>${draw.words(LOREM, 30)}</p>`,
  },
  "calls of an interface": {
    pathOf: (i) => `/api/class_${new Draw(i).word()}_${i}.html`,
    titleOf: (i) => `Class ${new Draw(i).word()}${i}`,
    bodyOf: (i, draw) =>
      `${TEMPLATE}<p>Inherits from ${link(`/base/${VOCABULARY[i % 40]}`, "a base")}</p><pre>int ${draw.word()}(int ${draw.word()});</pre>`,
  },
  "messages of a list": {
    pathOf: (i) => `/archive/2024-${String(1 + (i % 12)).padStart(2, "0")}/msg${String(i).padStart(5, "0")}.html`,
    titleOf: (_, draw) => `Re: ${draw.words(VOCABULARY, 3)}`,
    bodyOf: (_, draw) =>
      `<p>From: ${draw.oneOf(VOCABULARY)}</p><pre>${draw.words(LOREM, 30)}\n${draw.words(LOREM, 12)}</pre>`,
  },
  "towns and their weather": {
    pathOf: (i) => `/weather/${new Draw(i * 31).word()}${new Draw(i).word()}/`,
    titleOf: (i) => `Weather in ${new Draw(i * 31).word()}${new Draw(i).word()}`,
    bodyOf: (_, draw) =>
      `${TEMPLATE}<p>Now ${draw.between(-20, 40)} °C</p><p>Wind ${draw.between(0, 90)} km/h</p><p>Pressure ${draw.between(960, 1_040)} hPa</p>`,
  },
};

const PER_LIST = 20;

export function catalogueSite(kind: string, way: Way, pages: number, seed: number): Site {
  const made = KINDS[kind];
  if (made === undefined) throw new Error(`no catalogue ${kind}`);
  const drawFor = (i: number) => drawOf(seed, `${kind} ${i}`);
  const paths = Array.from({ length: pages }, (_, i) => made.pathOf(i, drawFor(i)));
  const indexOf = new Map(paths.map((path, i) => [path, i]));
  const lists = Math.ceil(pages / PER_LIST);
  const listUrl = (n: number) => `/list?page=${n}`;
  const titles = (i: number) => made.titleOf(i, drawFor(i));
  const nav = way === "one another" ? [paths[0] ?? "/"] : [listUrl(1)];
  const page = (path: string): string | null => {
    if (path === "/") return framed("Home", `<p>Welcome</p>${nav.map((to) => link(to, "All")).join("")}`, []);
    const n = Number(/^\/list\?page=(\d+)$/.exec(path)?.[1] ?? Number.NaN);
    if (!Number.isNaN(n) && way !== "one another") {
      const own = Array.from({ length: PER_LIST }, (_, k) => (n - 1) * PER_LIST + k).filter((i) => i < pages);
      const next = [n - 1, n + 1, n + 10, lists].filter((to) => to >= 1 && to <= lists);
      return framed(
        `List, page ${n}`,
        `<ul>${own.map((i) => `<li>${link(paths[i] ?? "", titles(i))}</li>`).join("")}</ul>${next.map((to) => link(listUrl(to), String(to))).join(" ")}`,
        nav,
      );
    }
    const i = indexOf.get(path);
    if (i === undefined) return null;
    // A tree, so that each page is found, and some others.
    const related = way === "lists" ? [] : [3 * i + 1, 3 * i + 2, 3 * i + 3, (i * 7 + 5) % pages, (i + 1) % pages];
    const others = [...new Set(related)].filter((to) => to < pages && to !== i);
    const more =
      others.length === 0
        ? ""
        : `<h2>See also</h2><ul>${others.map((to) => `<li>${link(paths[to] ?? "", titles(to))}</li>`).join("")}</ul>`;
    return framed(titles(i), `${made.bodyOf(i, drawFor(i))}${more}`, nav);
  };
  return { name: `${kind}, found on ${way}`, isTrap: false, honest: paths, page };
}
