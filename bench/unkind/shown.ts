/** The classes that rules may be made by. Those of held-out.ts nobody looks at who makes rules. */
import { randomFrom } from "../freshness/random.ts";
import {
  content,
  editedSite,
  edits,
  type Layout,
  nameOf,
  ok,
  paragraph,
  pick,
  saysOn,
  sentence,
  siteOf,
  stateOn,
  turns,
  type UnkindClass,
} from "./site.ts";

/** Whether a day is in one of some spans of `length` days, the first of which begins at `first`. */
function isIn(day: number, first: number, length: number, period = Infinity): boolean {
  return day >= first && (period === Infinity ? day - first < length : (day - first) % period < length);
}

function logIn(layout: Layout, next: string): string {
  return layout({
    title: "Sign in",
    main: `<h1>Sign in</h1><form method="post" action="/login"><label>Name <input name="user"></label>
      <label>Password <input type="password" name="password"></label><button>Sign in</button></form>
      <p><a href="/login?next=${encodeURIComponent(next)}">Use another account</a></p>`,
  });
}

export const SHOWN: readonly UnkindClass[] = [
  {
    name: "stock",
    build: (draw) =>
      siteOf(draw, (at, random, layout) => {
        const { name, text } = content(random);
        const lasts = [3, 7, 30][at % 3] ?? 7;
        const price = `${10 + Math.floor(random() * 90)}.50`;
        const says = (turn: number) => (turn % 2 === 0 ? "In stock. Ships in two days." : "Sold out.");
        const states = turns(draw.days, () => lasts, says, at % 4 === 3 ? draw.days : random() * lasts);
        return {
          states,
          answer: ({ day }) =>
            ok(
              layout({
                title: name,
                main: `<h1>${name}</h1><p>${price} EUR</p><p>${saysOn(states, day)}</p>${text()}`,
                footer: `<p>Prices of ${new Date(day * 86_400_000).toISOString().slice(0, 10)}</p>`,
              }),
            ),
        };
      }),
  },
  {
    name: "prices",
    build: (draw) =>
      siteOf(draw, (_, random, layout) => {
        const { name, text } = content(random);
        const base = 20 + Math.floor(random() * 400);
        const states = turns(
          draw.days,
          () => 1,
          (turn) => `${base + ((turn * 7) % 19)}.${10 + ((turn * 3) % 83)} EUR`,
          random(),
        );
        return {
          states,
          answer: ({ day }) =>
            ok(layout({ title: name, main: `<h1>${name}</h1><p>Price: ${saysOn(states, day)}</p>${text()}` })),
        };
      }),
  },
  {
    name: "counters",
    build: (draw) => {
      const titles = Array.from({ length: 30 }, () => nameOf(draw.random));
      return editedSite(draw, 12, (page, { day, number, random: mine }) =>
        ok(
          page.show(day, {
            main: `<h1>${page.name}</h1>${page.text(day)}<p>Read ${1_000 + number * 3} times, ${Math.floor(mine() * 40)} people are here.</p>`,
            aside: `<h3>See also</h3><ul>${[0, 1, 2, 3].map(() => `<li>${pick(titles, mine)}</li>`).join("")}</ul>`,
            footer: `<p>Made in ${mine().toFixed(4)} s, ${mine().toString(36).slice(2, 12)}</p>`,
          }),
        ),
      );
    },
  },
  {
    name: "title-counter",
    build: (draw) =>
      editedSite(draw, 15, (page, { day, random: mine }) =>
        ok(page.show(day, { title: `(${1 + Math.floor(mine() * 90)}) ${page.name}` })),
      ),
  },
  {
    name: "banner",
    build: (draw) => {
      const banners = Array.from({ length: draw.days + 1 }, () => `${sentence(draw.random)} ${sentence(draw.random)}`);
      return editedSite(draw, 12, (page, { day }) =>
        ok(page.show(day, { banner: `<div><p>${banners[Math.floor(day)]}</p></div>` })),
      );
    },
  },
  {
    name: "ab-menu",
    build: (draw) => {
      const variants = [0, 1].map(() => Array.from({ length: 4 }, () => nameOf(draw.random)));
      return editedSite(draw, 12, (page, { day, cookie, random: mine }) => {
        const known = /ab=([01])/.exec(cookie ?? "")?.[1];
        const variant = known === undefined ? Math.floor(mine() * 2) : Number(known);
        const html = page.show(day, { banner: `<div><p>${variants[variant]?.join("</p><p>")}</p></div>` });
        return ok(html, known === undefined ? { "set-cookie": `ab=${variant}; Max-Age=3600` } : {});
      });
    },
  },
  {
    name: "outage",
    build: (draw) => {
      const first = 8 + draw.random() * 8;
      const random = draw.random();
      return siteOf(draw, (_, mine, layout) => {
        const { name, text } = content(mine);
        const states = edits(draw.days, 14, mine);
        return {
          states,
          answer: ({ day }) =>
            isIn(day, first, 1.2 + random, 21)
              ? ok(
                  layout({
                    title: "Service unavailable",
                    main: "<h1>Service unavailable</h1><p>We are working on it. Please come back later.</p>",
                  }),
                )
              : ok(layout({ title: name, main: `<h1>${name}</h1>${text(Number(saysOn(states, day)))}` })),
        };
      });
    },
  },
  {
    name: "log-in",
    build: (draw) => {
      const first = 10 + draw.random() * 10;
      const lasts = 3 + draw.random() * 3;
      const layout = { of: null as Layout | null };
      return siteOf(
        draw,
        (at, random, siteLayout) => {
          layout.of ??= siteLayout;
          const { name, text } = content(random);
          const states = edits(draw.days, 14, random);
          return {
            states,
            answer: ({ day }) =>
              isIn(day, first, lasts, 25)
                ? ok(logIn(siteLayout, `/p/${at}`))
                : ok(siteLayout({ title: name, main: `<h1>${name}</h1>${text(Number(saysOn(states, day)))}` })),
          };
        },
        (path) => (path.startsWith("/login") ? ok(logIn(layout.of as Layout, path)) : { status: 404 }),
      );
    },
  },
  {
    name: "lying-etag",
    build: (draw) =>
      editedSite(draw, 13, (page, { day, ifNoneMatch }) => {
        const version = saysOn(page.states, day);
        const etag = page.at % 2 === 0 ? '"always"' : `"${version}"`;
        if (ifNoneMatch === etag) return { status: 304, headers: { etag } };
        return ok(page.show(day), { etag });
      }),
  },
  {
    name: "redirect",
    build: (draw) => {
      let closed = "";
      return siteOf(
        draw,
        (_, random, layout) => {
          const { name, text } = content(random);
          closed = layout({ title: "Back soon", main: `<h1>Back soon</h1>${paragraph(randomFrom(1))}` });
          const states = edits(draw.days, 14, random);
          return {
            states,
            answer: ({ day }) =>
              Math.floor(day) % 2 === 1 && day % 1 > 0.2 && day % 1 < 0.5
                ? { status: 302, headers: { location: "/p/closed" } }
                : ok(layout({ title: name, main: `<h1>${name}</h1>${text(Number(saysOn(states, day)))}` })),
          };
        },
        (path) => (path === "/p/closed" ? ok(closed) : { status: 404 }),
      );
    },
  },
  {
    name: "shared-sentence",
    build: (draw) =>
      siteOf(draw, (at, random, layout) => {
        const { name, text } = content(random);
        const states = at % 5 === 0 ? edits(draw.days, 20, random) : [{ from: 0, says: "0" }];
        return {
          states,
          answer: ({ day }) => {
            const { says } = stateOn(states, day);
            const shared =
              says === "0" ? `This service answers within ${at + 2} hours.` : `This service is closed (${says}).`;
            return ok(
              layout({
                title: name,
                main: `<h1>${name}</h1><p>${shared}</p>${text()}`,
                footer: `<p>Checked on ${new Date(day * 86_400_000).toUTCString().slice(0, 16)}</p>`,
              }),
              { etag: `"${says}-${Math.floor(day)}"` },
            );
          },
        };
      }),
  },
];
