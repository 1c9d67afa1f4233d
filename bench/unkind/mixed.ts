/**
 * Classes that were written after the rules of 2026-11-27, and by which none was made: what real sites do at once. The
 * first has all the noise and trouble of the other sets on one host.
 */
import { randomFrom } from "../freshness/random.ts";
import {
  type Answer,
  type Ask,
  content,
  type Draw,
  edits,
  type Layout,
  nameOf,
  ok,
  type Page,
  paragraph,
  pick,
  type State,
  saysOn,
  sentence,
  siteOf,
  turns,
  type UnkindClass,
  type UnkindSite,
  word,
} from "./site.ts";

type Kind = "stock" | "price" | "sale" | "article" | "account";
/** What the pages of the shop are, by their number. */
const KINDS: readonly Kind[] = ["article", "stock", "article", "price", "article", "sale", "article", "account"];

/** A shop with a paper: rotating banner, menu by cookie, related links, counters, outage, log-in, ETags, redirects. */
function buildShop(draw: Draw): UnkindSite {
  const { random, days } = draw;
  const banners = Array.from({ length: days + 1 }, () => `${sentence(random)} ${sentence(random)}`);
  const menus = [0, 1].map(() => Array.from({ length: 4 }, () => nameOf(random)));
  const related = Array.from({ length: 40 }, () => nameOf(random));
  const outage = { from: 7 + random() * 8, lasts: 0.6 + random() };
  const expired = { from: 12 + random() * 8, lasts: 2 + random() * 3 };
  const nights = new Set(Array.from({ length: 6 }, () => Math.floor(random() * days)));
  const seen: { layout: Layout | null } = { layout: null };
  const isIn = (day: number, { from, lasts }: { from: number; lasts: number }) => day >= from && day < from + lasts;

  function around({ day, number, cookie, random: mine }: Ask): { page: Partial<Page>; set: Record<string, string> } {
    const known = /ab=([01])/.exec(cookie ?? "")?.[1];
    const menu = known === undefined ? Math.floor(mine() * 2) : Number(known);
    const page = {
      banner: `<div><p>${banners[Math.floor(day)]}</p></div><div><p>${menus[menu]?.join("</p><p>")}</p></div>`,
      aside: `<h3>You may like</h3><ul>${[0, 1, 2].map(() => `<li>${pick(related, mine)}</li>`).join("")}</ul>`,
      footer: `<p>${12_000 + number} visitors. Made in ${mine().toFixed(4)} s.</p>`,
    };
    return { page, set: known === undefined ? { "set-cookie": `ab=${menu}; Max-Age=3600` } : {} };
  }

  return siteOf(
    draw,
    (at, own, layout) => {
      seen.layout ??= layout;
      const { name, text } = content(own);
      const kind = KINDS[at % KINDS.length] ?? "article";
      const states = statesOf(kind, days, own);
      const main = (day: number) => {
        const says = saysOn(states, day);
        if (kind === "article" || kind === "account") return text(Number(says));
        return `<p>${says}</p>${text()}`;
      };
      const answer = (ask: Ask): Answer => {
        const { day, ifNoneMatch } = ask;
        if (isIn(day, outage)) return { ...ok(unavailable(layout)), isOther: true };
        if (kind === "account" && isIn(day, expired))
          return { status: 302, headers: { location: `/login?next=${at}` } };
        if (nights.has(Math.floor(day)) && day % 1 > 0.1 && day % 1 < 0.4)
          return { status: 307, headers: { location: "/maintenance" } };
        // A third of the pages say that they have not changed, whatever they say.
        const etag = at % 3 === 0 ? '"1"' : null;
        if (etag !== null && ifNoneMatch === etag) return { status: 304, headers: { etag } };
        const { page, set } = around(ask);
        const html = layout({ title: name, main: `<h1>${name}</h1>${main(day)}`, ...page });
        return ok(html, etag === null ? set : { ...set, etag });
      };
      return { states, answer };
    },
    (path, ask) => {
      if (path.startsWith("/login"))
        return ok(
          seen.layout?.({
            title: "Sign in",
            main: `<h1>Sign in</h1><form action="/login"><input name="user"><input type="password" name="p"></form>`,
            ...around(ask).page,
          }) ?? "",
        );
      if (path === "/maintenance")
        return ok(`<title>Maintenance</title><h1>We are tidying up</h1>${paragraph(random)}`);
      return { status: 404, html: "No such page." };
    },
  );
}

function unavailable(layout: Layout): string {
  return layout({ title: "Service unavailable", main: "<h1>Service unavailable</h1><p>Back soon.</p>" });
}

function statesOf(kind: Kind, days: number, random: () => number): State[] {
  const price = 20 + Math.floor(random() * 200);
  const says = (turn: number) => (turn % 2 === 0 ? "In stock. Ships in two days." : "Sold out.");
  const reduced = (turn: number) => (turn % 2 === 0 ? `${price}.00 EUR` : `${price - 9}.00 EUR instead of ${price}.00`);
  if (kind === "stock") return turns(days, () => 3 + Math.floor(random() * 8), says, random() * 5);
  if (kind === "price")
    return turns(
      days,
      () => 1,
      (turn) => `Price: ${price + ((turn * 7) % 19)}.${10 + ((turn * 3) % 83)} EUR`,
      random(),
    );
  if (kind === "sale") return turns(days, (turn) => (turn % 2 === 0 ? 9 : 4), reduced, random() * 9);
  return edits(days, 14, random);
}

/** A page that is made of lines, one of which is another one at each edit. */
function linesSite(
  draw: Draw,
  mean: number,
  line: (random: () => number, at: number) => string,
  count: (random: () => number) => number,
  show: (page: { name: string; lines: string[]; layout: Layout }, ask: Ask) => Answer,
): UnkindSite {
  return siteOf(draw, (_, random, layout) => {
    const { name } = content(random);
    const first = Array.from({ length: count(random) }, (_, at) => line(random, at));
    const seed = Math.floor(random() * 2 ** 31);
    const states = edits(draw.days, mean, random);
    const linesOn = (day: number) => {
      const lines = [...first];
      for (let version = 1; version <= Number(saysOn(states, day)); version++) {
        const mine = randomFrom(seed + version);
        const at = Math.floor(mine() * lines.length);
        lines[at] = line(mine, at);
      }
      return lines;
    };
    return { states, answer: (ask) => show({ name, lines: linesOn(ask.day), layout }, ask) };
  });
}

export const MIXED: readonly UnkindClass[] = [
  { name: "shop", build: buildShop },
  {
    // One request of seven is answered with the price in another currency.
    name: "currency",
    build: (draw) =>
      siteOf(draw, (_, random, layout) => {
        const { name, text } = content(random);
        const states = turns(
          draw.days,
          () => 5 + random() * 15,
          () => String(20 + Math.floor(random() * 400)),
          random() * 10,
        );
        return {
          states,
          answer: ({ day, random: mine }) => {
            const euros = Number(saysOn(states, day));
            const price = mine() < 1 / 7 ? `$${(euros * 1.1).toFixed(2)}` : `${euros}.00 EUR`;
            return ok(layout({ title: name, main: `<h1>${name}</h1><p>${price}</p>${text()}` }));
          },
        };
      }),
  },
  {
    // The lists of a blog: with each new entry the last one of a list goes to the next list.
    name: "blog-lists",
    build: (draw) => {
      const published = edits(draw.days, 5, draw.random);
      const seed = Math.floor(draw.random() * 2 ** 31);
      const entry = (number: number) => {
        const mine = randomFrom(seed + number);
        return `<article><h2>${nameOf(mine)}</h2><p>${sentence(mine)} ${sentence(mine)}</p></article>`;
      };
      return siteOf(draw, (at, _, layout) => ({
        states: published,
        answer: ({ day }) => {
          const newest = 1_000 + Number(saysOn(published, day));
          const entries = Array.from({ length: 6 }, (_, place) => entry(newest - at * 6 - place));
          return ok(layout({ title: `Entries, page ${at + 1}`, main: `<h1>Entries</h1>${entries.join("")}` }));
        },
      }));
    },
  },
  {
    // A manual: each release has another number on all pages, and says something else on a third of them.
    name: "releases-of-all",
    build: (draw) => {
      const released = turns(draw.days, () => 9 + draw.random() * 9, String, 4 + draw.random() * 6);
      return siteOf(draw, (_, random, layout) => {
        const { name, text } = content(random);
        let last = 0;
        const states = released
          .map(({ from, says }) => ({ from, says: from > 0 && random() < 0.33 ? says : null }))
          .filter(({ from, says }) => from === 0 || says !== null)
          .map(({ from }) => ({ from, says: String(last++) }));
        return {
          states,
          answer: ({ day }) => {
            const version = `2.${saysOn(released, day)}`;
            return ok(
              layout({
                title: `${name} - Manual ${version}`,
                main: `<p>This page is of version ${version}.</p><h1>${name}</h1>${text(Number(saysOn(states, day)))}`,
                footer: `<p>Released on day ${Math.floor(released.findLast(({ from }) => from <= day)?.from ?? 0)}</p>`,
              }),
            );
          },
        };
      });
    },
  },
  {
    // Shops that are closed on one day of the week each.
    name: "opening",
    build: (draw) =>
      siteOf(draw, (_, random, layout) => {
        const { name, text } = content(random);
        const hours = `Open today from ${7 + Math.floor(random() * 4)}:00 to ${16 + Math.floor(random() * 5)}:30`;
        const states = turns(
          draw.days,
          (turn) => (turn % 2 === 0 ? 6 : 1),
          (turn) => (turn % 2 === 0 ? hours : "Closed today"),
          Math.floor(random() * 7) + 0.01,
        );
        return {
          states,
          answer: ({ day }) =>
            ok(layout({ title: name, main: `<h1>${name}</h1><p>${saysOn(states, day)}</p>${text()}` })),
        };
      }),
  },
  {
    // Entries of a directory: little text, of which one number is another one.
    name: "directory",
    build: (draw) => {
      const labels = ["Telephone", "Fax", "Room", "Postcode", "Extension"];
      return linesSite(
        draw,
        16,
        (random, at) => `${labels[at % 5]}: ${Math.floor(random() * 9_000) + 1_000}`,
        () => 5,
        ({ name, lines, layout }, { random: mine }) =>
          ok(
            layout({
              title: name,
              main: `<h1>${name}</h1><p>${lines.join("<br>")}</p>`,
              footer: `<p>Request ${mine().toString(36).slice(2, 10)}</p>`,
            }),
          ),
      );
    },
  },
  {
    // Settings in code: a value of one line is another one.
    name: "snippets",
    build: (draw) =>
      linesSite(
        draw,
        14,
        (random, at) => `  ${word(randomFrom(at + 7))}_${at}: ${Math.floor(random() * 600)}`,
        (random) => 8 + Math.floor(random() * 10),
        ({ name, lines, layout }, { number }) =>
          ok(
            layout({
              title: name,
              main: `<h1>${name}</h1>${paragraph(randomFrom(name.length))}<pre><code>${lines.join("\n")}</code></pre>`,
              aside: `<p>${number} copies</p>`,
            }),
          ),
      ),
  },
  {
    // Long lists of prices, one of which is another one, and the seconds in which they were made.
    name: "price-list",
    build: (draw) =>
      linesSite(
        draw,
        8,
        (random, at) => `<tr><td>${nameOf(randomFrom(at + 77))}</td><td>${(random() * 90).toFixed(2)} EUR</td></tr>`,
        (random) => 40 + Math.floor(random() * 40),
        ({ name, lines, layout }, { random: mine }) =>
          ok(
            layout({
              title: name,
              main: `<h1>${name}</h1><table>${lines.join("")}</table><p>Listed in ${mine().toFixed(3)} s</p>`,
            }),
          ),
      ),
  },
  {
    // A paragraph goes, and comes back after some days.
    name: "paragraphs-gone",
    build: (draw) =>
      siteOf(draw, (_, random, layout) => {
        const { name, text } = content(random);
        const extra = paragraph(random, 2);
        const states = turns(
          draw.days,
          () => 3 + random() * 12,
          (turn) => (turn % 2 === 0 ? extra : ""),
          random() * 10,
        );
        const tips = Array.from({ length: 12 }, () => sentence(random));
        return {
          states,
          answer: ({ day, random: mine }) =>
            ok(
              layout({
                title: name,
                main: `<h1>${name}</h1>${text()}${saysOn(states, day)}<p>Tip: ${pick(tips, mine)}</p>`,
              }),
            ),
        };
      }),
  },
  {
    // A town: events whose day is over leave the list, new ones come, and a notice stands on all pages for some days.
    name: "town",
    build: (draw) => {
      const notices = turns(
        draw.days,
        (turn) => (turn % 2 === 0 ? 6 + draw.random() * 8 : 2 + draw.random() * 2),
        (turn) => (turn % 2 === 0 ? "" : `<div><p>Notice: ${sentence(draw.random)}</p></div>`),
        3,
      );
      return siteOf(draw, (_, random, layout) => {
        const { name, text } = content(random);
        const events = turns(
          draw.days + 30,
          () => 2 + random() * 6,
          () => `${nameOf(random)}: ${sentence(random)}`,
        );
        const states = turns(draw.days, () => 2 + random() * 6, String, random() * 4);
        return {
          states,
          answer: ({ day }) => {
            const first = Number(saysOn(states, day));
            const shown = events.slice(first, first + 5).map(({ says }) => `<li>${says}</li>`);
            return ok(
              layout({
                title: name,
                main: `<h1>${name}</h1>${text()}<h2>Events</h2><ul>${shown.join("")}</ul>`,
                banner: saysOn(notices, day),
                footer: `<p>${new Date(day * 86_400_000).toUTCString().slice(0, 16)}</p>`,
              }),
            );
          },
        };
      });
    },
  },
  {
    // A paper: what is read most in this hour, an advertisement for each request, and corrections to articles.
    name: "paper",
    build: (draw) => {
      const titles = Array.from({ length: 60 }, () => nameOf(draw.random));
      const seed = Math.floor(draw.random() * 2 ** 31);
      return siteOf(draw, (_, random, layout) => {
        const { name, text } = content(random);
        const states = edits(draw.days, 18, random);
        return {
          states,
          answer: ({ day, random: mine }) => {
            const hour = randomFrom(seed + Math.floor(day * 24));
            const most = Array.from({ length: 5 }, () => `<li>${pick(titles, hour)}</li>`).join("");
            const parts = text(Number(saysOn(states, day))).split("\n");
            parts.splice(1, 0, `<div><p>Advertisement</p><p>${pick(titles, mine)}, now for less</p></div>`);
            return ok(
              layout({
                title: name,
                main: `<h1>${name}</h1><p>${1 + Math.floor(mine() * 9)} minutes to read</p>${parts.join("\n")}`,
                aside: `<h3>Most read</h3><ol>${most}</ol>`,
                footer: `<p>${new Date(day * 86_400_000).toISOString().slice(0, 16)}</p>`,
              }),
            );
          },
        };
      });
    },
  },
];
