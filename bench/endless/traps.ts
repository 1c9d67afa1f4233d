import { Draw, drawOf, framed, link, type Site } from "./page.ts";

/** Endless sites, each beside 60 honest pages that lead to one another. */

const HONEST = 60;

type Make = (draw: Draw, seed: number) => { enter: string; page(path: string): string | null };

const item = (i: number) => `/item-${String.fromCharCode(97 + Math.floor(i / 26), 97 + (i % 26))}`;

/** Lists some of the items, as a shop does. */
function listOf(draw: Draw, names: readonly string[], prices: readonly string[], most: number): string {
  const count = draw.between(Math.min(2, most), most);
  const rows = Array.from({ length: count }, () => {
    const i = draw.below(HONEST);
    return `<li>${link(item(i), names[i] ?? "")} <span>${prices[i]}</span></li>`;
  });
  return `<ul>${rows.join("\n")}</ul>`;
}

const FACETS = ["color", "size", "brand", "material", "sort", "view", "price", "season", "width"];

const queryFacets =
  (isEchoed: boolean, most: number): Make =>
  (draw, seed) => {
    const facets = FACETS.slice(0, draw.between(4, 8)).map((name) => ({
      name,
      values: Array.from({ length: draw.between(3, 9) }, () => draw.word()),
    }));
    const { names, prices } = itemsOf(draw);
    const urlOf = (chosen: ReadonlyMap<string, number>) => {
      const query = facets.flatMap(({ name, values }) => {
        const at = chosen.get(name);
        return at === undefined ? [] : [`${name}=${isEchoed ? values[at] : at + 1}`];
      });
      return `/shop${query.length === 0 ? "" : `?${query.join("&")}`}`;
    };
    return {
      enter: "/shop",
      page(path) {
        const url = new URL(path, "http://x");
        if (url.pathname !== "/shop") return null;
        const chosen = new Map<string, number>();
        for (const { name, values } of facets) {
          const said = url.searchParams.get(name);
          if (said !== null) chosen.set(name, isEchoed ? values.indexOf(said) : Number(said) - 1);
        }
        const others = facets.flatMap(({ name, values }) =>
          values.map((value, at) => link(urlOf(new Map([...chosen, [name, at]])), `${name}: ${value}`)),
        );
        const own = drawOf(seed, path);
        const heading = facets.flatMap(({ name, values }) => (chosen.has(name) ? [values[chosen.get(name) ?? 0]] : []));
        return framed(
          `Shop ${heading.join(", ")}`,
          `<p>${own.below(900)} results</p>${listOf(own, names, prices, most)}<ul>${others.map((each) => `<li>${each}</li>`).join("")}</ul>`,
          ["/shop"],
        );
      },
    };
  };

const pathFacets: Make = (draw, seed) => {
  const values = Array.from({ length: draw.between(4, 6) }, () =>
    Array.from({ length: draw.between(4, 8) }, () => draw.word()),
  );
  const { names, prices } = itemsOf(draw);
  return {
    enter: "/list/",
    page(path) {
      if (!path.startsWith("/list/")) return null;
      const chosen = path.split("/").slice(2, -1);
      const next = values.flatMap((some, level) =>
        some.map((value) => {
          const to = values.map((all, i) => (i === level ? value : (chosen[i] ?? all[0])));
          return link(`/list/${to.slice(0, Math.max(level + 1, chosen.length)).join("/")}/`, value);
        }),
      );
      const own = drawOf(seed, path);
      return framed(`All ${chosen.join(" ")}`, `${listOf(own, names, prices, 12)}<p>${next.join(" ")}</p>`, ["/list/"]);
    },
  };
};

const MONTHS = "January February March April May June July August September October November December".split(" ");

const calendar =
  (isByDay: boolean): Make =>
  (draw) => {
    const base = draw.oneOf(["/calendar", "/events/month", "/agenda"]);
    const monthUrl = (at: Date) => `${base}?year=${at.getUTCFullYear()}&month=${at.getUTCMonth() + 1}`;
    const dayUrl = (at: Date) => `/day/${at.toISOString().slice(0, 10)}`;
    return {
      enter: `${base}?year=2026&month=5`,
      page(path) {
        const url = new URL(path, "http://x");
        const day = /^\/day\/(\d{4}-\d{2}-\d{2})$/.exec(url.pathname)?.[1];
        if (day !== undefined) {
          const at = new Date(day);
          const near = [-1, 1, 7].map((n) => new Date(at.getTime() + n * 86_400_000));
          return framed(
            `${MONTHS[at.getUTCMonth()]} ${at.getUTCDate()}, ${at.getUTCFullYear()}`,
            `<p>There are no events on this day.</p><p>${near.map((d) => link(dayUrl(d), `${MONTHS[d.getUTCMonth()]} ${d.getUTCDate()}`)).join(" ")} ${link(monthUrl(new Date(at.getTime() + 40 * 86_400_000)), "Later")}</p>`,
            [],
          );
        }
        if (url.pathname !== base) return null;
        const at = new Date(
          Date.UTC(Number(url.searchParams.get("year")), Number(url.searchParams.get("month")) - 1, 1),
        );
        const jumps = [-12, -1, 1, 2, 12, 120].map(
          (n) => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + n, 1)),
        );
        const days = Array.from({ length: 28 }, (_, i) => new Date(at.getTime() + i * 86_400_000));
        const cells = days.map((d) => `<td>${isByDay ? link(dayUrl(d), String(d.getUTCDate())) : d.getUTCDate()}</td>`);
        return framed(
          `${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`,
          `<p>No events.</p><table><tr>${cells.join("")}</tr></table><p>${jumps.map((d) => link(monthUrl(d), `${MONTHS[d.getUTCMonth()]} ${d.getUTCFullYear()}`)).join(" ")}</p>`,
          [],
        );
      },
    };
  };

const echoSearch: Make = (draw, seed) => {
  const { names, prices } = itemsOf(draw);
  return {
    enter: "/search?q=start",
    page(path) {
      const url = new URL(path, "http://x");
      if (url.pathname !== "/search") return null;
      const asked = url.searchParams.get("q") ?? "";
      const own = drawOf(seed, path);
      const more = Array.from({ length: 8 }, () => `${asked.split(" ").slice(-2).join(" ")} ${own.word()}`);
      const rows = more.map((each) => link(`/search?q=${encodeURIComponent(each)}`, `Search for ${each}`));
      return framed(`Results for ${asked}`, `${listOf(own, names, prices, 8)}<p>${rows.join("</p><p>")}</p>`, []);
    },
  };
};

const counter: Make = (draw) => {
  const fan = draw.between(3, 9);
  return {
    enter: "/facet?c=0",
    page(path) {
      const n = Number(/^\/facet\?c=(\d+)$/.exec(path)?.[1] ?? Number.NaN);
      if (Number.isNaN(n)) return null;
      const next = Array.from({ length: fan }, (_, k) =>
        link(`/facet?c=${fan * n + k + 1}`, `Filter ${fan * n + k + 1}`),
      );
      return framed(`Facet ${n}`, `<p>Choose a filter.</p>${next.join(" ")}`, []);
    },
  };
};

const tags: Make = (draw, seed) => {
  const words = Array.from({ length: 14 }, () => draw.word());
  const { names, prices } = itemsOf(draw);
  return {
    enter: `/tag/${words[0]}`,
    page(path) {
      if (!path.startsWith("/tag/")) return null;
      const chosen = decodeURIComponent(path.slice(5)).split("+");
      const next = words
        .filter((word) => !chosen.includes(word))
        .map((word) => link(`/tag/${[...chosen, word].sort().join("+")}`, `and ${word}`));
      const own = drawOf(seed, path);
      return framed(`Tagged ${chosen.join(" and ")}`, `${listOf(own, names, prices, 10)}<p>${next.join(" ")}</p>`, []);
    },
  };
};

/** Pages of a known item in a session that each link renews. */
const sessions: Make = (draw, seed) => {
  const { names } = itemsOf(draw);
  const texts = names.map(() => draw.words(names, 30));
  let made = 0;
  return {
    enter: "/view/0/k0",
    page(path) {
      const [, i, key] = /^\/view\/(\d+)\/(k\w+)$/.exec(path) ?? [];
      if (i === undefined) return null;
      const own = drawOf(seed, `${path}`);
      const next = Array.from({ length: 6 }, () => {
        made += 1;
        return link(`/view/${own.below(HONEST)}/k${own.word()}${made}`, "Next");
      });
      return framed(
        `View of ${names[Number(i)]}`,
        `<p>${texts[Number(i)]}</p><p>Your key is ${key}.</p>${next.join(" ")}`,
        [],
      );
    },
  };
};

/** Random words of a list on each page, which lead to more of them. */
const babble: Make = (draw, seed) => {
  const vocabulary = Array.from({ length: 3_000 }, () => draw.word());
  return {
    enter: `/maze/${draw.word()}/`,
    page(path) {
      if (!path.startsWith("/maze/")) return null;
      const own = drawOf(seed, path);
      const next = Array.from({ length: 6 }, () => link(`/maze/${own.word()}/${own.word()}`, own.word()));
      return framed(own.words(vocabulary, 4), `<p>${own.words(vocabulary, 80)}</p>${next.join(" ")}`, []);
    },
  };
};

function itemsOf(draw: Draw): { names: string[]; prices: string[] } {
  const names = Array.from({ length: HONEST }, () => `${draw.word()} ${draw.word()}`);
  return { names, prices: names.map(() => `${draw.between(1, 99)}.${draw.between(10, 99)} EUR`) };
}

export const TRAPS: Record<string, Make> = {
  "facets by name": queryFacets(true, 20),
  "facets by number, long lists": queryFacets(false, 20),
  "facets by name, short lists": queryFacets(true, 5),
  "facets in the path": pathFacets,
  "a calendar of months": calendar(false),
  "a calendar of months and days": calendar(true),
  "a search that echoes": echoSearch,
  "a counter": counter,
  "combinations of tags": tags,
  "keys in the path": sessions,
  "random words": babble,
};

export function trapSite(name: string, seed: number): Site {
  const draw = new Draw(seed * 7_919 + name.length);
  const make = TRAPS[name];
  if (make === undefined) throw new Error(`no trap ${name}`);
  const trap = make(draw, seed);
  const shape = seed % 3;
  const texts = Array.from({ length: HONEST }, () => Array.from({ length: 40 }, () => draw.word()).join(" "));
  const honest = Array.from({ length: HONEST }, (_, i) => item(i));
  const nextOf = (i: number) => (shape === 0 ? [] : shape === 1 ? [2 * i + 1, 2 * i + 2] : [i + 1]);
  const linksTo = (all: readonly number[]) => all.filter((i) => i < HONEST).map((i) => link(item(i), `Item ${i}`));
  return {
    name,
    isTrap: true,
    honest,
    page(path) {
      const first = shape === 0 ? Array.from({ length: HONEST }, (_, i) => i) : [0];
      if (path === "/") return framed("Home", `${linksTo(first).join(" ")} ${link(trap.enter, "Enter")}`, []);
      const i = honest.indexOf(path);
      if (i !== -1)
        return framed(
          `Item ${i}`,
          `<p>${texts[i]}</p>${linksTo(nextOf(i)).join(" ")} ${link(trap.enter, "Enter")}`,
          [],
        );
      return trap.page(path);
    },
  };
}
