/** The classes that measure: rules are not made by them. */
import { randomFrom } from "../freshness/random.ts";
import {
  content,
  editedSite,
  edits,
  layoutOf,
  nameOf,
  ok,
  paragraph,
  pick,
  type State,
  saysOn,
  sentence,
  siteOf,
  stateOn,
  turns,
  type UnkindClass,
} from "./site.ts";

export const HELD_OUT: readonly UnkindClass[] = [
  {
    name: "status-page",
    build: (draw) =>
      siteOf(draw, (_, random, layout) => {
        const { name, text } = content(random);
        const troubles = ["Degraded performance", "Partial outage", "Maintenance in progress"];
        const states = turns(
          draw.days,
          (turn) => (turn % 2 === 0 ? 4 + random() * 16 : 2 + random() * 3),
          (turn) => (turn % 2 === 0 ? "All systems operational" : pick(troubles, random)),
          random() * 8,
        );
        return {
          states,
          answer: ({ day, random: mine }) =>
            ok(
              layout({
                title: `${name} status`,
                main: `<h1>${name}</h1><h2>${saysOn(states, day)}</h2>${text()}<p>Response time ${Math.floor(mine() * 300)} ms</p>`,
              }),
            ),
        };
      }),
  },
  {
    name: "sale",
    build: (draw) =>
      siteOf(draw, (at, random, layout) => {
        const { name, text } = content(random);
        const full = 40 + Math.floor(random() * 100);
        const lasts = [7, 4, 14][at % 3] ?? 7;
        const states = turns(
          draw.days,
          (turn) => (turn % 2 === 0 ? lasts * 2 : lasts),
          (turn) => (turn % 2 === 0 ? `$${full}.00` : `<del>$${full}.00</del> <b>$${full - 12}.00</b> Sale`),
          random() * lasts,
        );
        return {
          states,
          answer: ({ day, random: mine }) =>
            ok(
              layout({
                title: name,
                main: `<h1>${name}</h1><div class="x">${saysOn(states, day)}</div><div>In stock. Ships in two days.</div>${text()}`,
                aside: `<h4>Others bought</h4>${[1, 2, 3].map(() => `<p>${nameOf(mine)} $${Math.floor(mine() * 90)}.00</p>`).join("")}`,
              }),
            ),
        };
      }),
  },
  {
    name: "quotation",
    build: (draw) => {
      const said = Array.from({ length: 50 }, () => `${sentence(draw.random)} ${sentence(draw.random)}`);
      return editedSite(draw, 16, (page, { day, random: mine }) => {
        const parts = page.text(day).split("\n");
        parts.splice(1, 0, `<div><p>${pick(said, mine)}</p><p>${nameOf(mine)}, a reader</p></div>`);
        return ok(page.show(day, { main: `<h1>${page.name}</h1>${parts.join("\n")}` }));
      });
    },
  },
  {
    name: "relative-times",
    build: (draw) =>
      editedSite(draw, 16, (page, { day, random: mine }) => {
        const hours = Math.floor((day - stateOn(page.states, day).from) * 24);
        const ago = hours < 1 ? "just now" : hours < 48 ? `${hours} hours ago` : `${Math.floor(hours / 24)} days ago`;
        return ok(
          page.show(day, {
            main: `<h1>${page.name}</h1><p>${Math.floor(mine() * 50)} people look at this right now</p>${page.text(day)}<p>Updated ${ago}</p>`,
          }),
        );
      }),
  },
  {
    name: "captcha",
    build: (draw) => {
      const first = 9 + draw.random() * 12;
      return editedSite(draw, 16, (page, { day, random: mine }) =>
        (day - first) % 23 >= 0 && (day - first) % 23 < 2.5 && day > first && page.at % 4 !== 3
          ? ok(
              `<!doctype html><html><head><title>Einen Moment</title></head><body><h1>Sind Sie ein Mensch?</h1><p>Vorgang ${mine().toString(36).slice(2, 14)}</p><form><input type="checkbox" name="human"><button>Weiter</button></form></body></html>`,
            )
          : ok(page.show(day)),
      );
    },
  },
  {
    name: "parked",
    build: (draw) => {
      const first = 20 + draw.random() * 20;
      const offers = Array.from({ length: 9 }, () => nameOf(draw.random));
      return editedSite(draw, 16, (page, { day }) =>
        day >= first && day < first + 4
          ? ok(
              `<!doctype html><html><head><title>This name may be for sale</title></head><body><h1>Buy this name</h1><ul>${offers.map((offer) => `<li><a href="/s/${offer.replaceAll(" ", "-")}">${offer}</a></li>`).join("")}</ul></body></html>`,
            )
          : ok(page.show(day)),
      );
    },
  },
  {
    name: "half-broken",
    build: (draw) => {
      const first = 12 + draw.random() * 10;
      return editedSite(draw, 16, (page, { day }) => {
        const since = day - first;
        if (since >= 0 && since < 2) return { status: 503, html: "down" };
        if (since >= 2 && since < 4 && page.at % 2 === 0)
          return ok(
            page.layout({
              title: "Etwas ist schiefgelaufen",
              main: "<h1>Etwas ist schiefgelaufen</h1><p>Der Dienst antwortet gerade nicht. Versuchen Sie es in einigen Minuten noch einmal.</p>",
            }),
          );
        return ok(page.show(day));
      });
    },
  },
  {
    name: "two-servers",
    build: (draw) => {
      const layouts = [layoutOf(draw.random), layoutOf(draw.random)];
      const teasers = [0, 1].map(() => Array.from({ length: 5 }, () => nameOf(draw.random)));
      return siteOf(draw, (_, random) => {
        const { name, text } = content(random);
        const states = edits(draw.days, 16, random);
        return {
          states,
          answer: ({ day, random: mine }) => {
            const server = Math.floor(mine() * 2);
            return ok(
              layouts[0]?.({
                title: name,
                main: `<h1>${name}</h1>${text(Number(saysOn(states, day)))}`,
                aside: `<h3>Popular</h3><ul>${teasers[server]?.map((teaser) => `<li>${teaser}</li>`).join("")}</ul>`,
                footer: `<p>Node ${server}</p>`,
              }) ?? "",
            );
          },
        };
      });
    },
  },
  {
    name: "language",
    build: (draw) =>
      siteOf(draw, (_, random, layout) => {
        const { name, text } = content(random);
        const states = edits(draw.days, 16, random);
        const seed = Math.floor(random() * 2 ** 31);
        return {
          states,
          answer: ({ day }) => {
            const isOther = randomFrom(seed + Math.floor(day))() < 0.04;
            const html = layout({ title: name, main: `<h1>${name}</h1>${text(Number(saysOn(states, day)))}` });
            if (!isOther) return ok(html);
            return ok(
              `<!doctype html><html lang="de"><head><title>${name}</title></head><body><main><h1>${name}</h1><p>Diese Seite gibt es auch in Ihrer Sprache. Der Text wird für Besucher aus anderen Ländern gekürzt, und die Bilder fehlen hier.</p><p>Wählen Sie Ihr Land, damit wir Ihnen die richtige Ausgabe zeigen können.</p></main></body></html>`,
            );
          },
        };
      }),
  },
  {
    name: "lying-date",
    build: (draw) =>
      editedSite(draw, 13, (page, { day, ifModifiedSince }) => {
        const isLiar = page.at % 2 === 0;
        const state = stateOn(page.states, day);
        const changed = isLiar ? 0 : Math.floor(state.from * 86_400) * 1_000;
        const date = new Date(Date.UTC(2026, 0, 1) + changed).toUTCString();
        if (ifModifiedSince === date) return { status: 304, headers: { "last-modified": date } };
        return ok(page.show(day), {
          "last-modified": date,
        });
      }),
  },
  {
    name: "consent",
    build: (draw) => {
      const first = 10 + draw.random() * 20;
      return editedSite(
        draw,
        16,
        (page, { day }) =>
          day >= first && day < first + 3 && page.at % 3 !== 0
            ? { status: 307, headers: { location: `/consent?back=${page.at}` } }
            : ok(page.show(day)),
        (path) =>
          path.startsWith("/consent")
            ? ok(
                "<!doctype html><title>Your choice</title><h1>Your choice</h1><p>Accept what we store?</p><button>Yes</button>",
              )
            : { status: 404 },
      );
    },
  },
  {
    name: "redesign",
    build: (draw) => {
      const day0 = 25 + draw.random() * 10;
      const after = layoutOf(draw.random);
      return editedSite(draw, 16, (page, { day }) =>
        ok(
          (day < day0 ? page.layout : after)({
            title: page.name,
            main: `<h1>${page.name}</h1>${page.text(day)}`,
          }),
        ),
      );
    },
  },
  {
    name: "all-edited",
    build: (draw) => {
      const dear = 15 + draw.random() * 20;
      return siteOf(draw, (_, random, layout) => {
        const { name, text } = content(random);
        const price = 30 + Math.floor(random() * 200);
        const states: State[] = [
          { from: 0, says: `${price}.00 EUR` },
          { from: dear, says: `${(price * 1.1).toFixed(2)} EUR` },
        ];
        return {
          states,
          answer: ({ day }) =>
            ok(layout({ title: name, main: `<h1>${name}</h1><p>${saysOn(states, day)}</p>${text()}` })),
        };
      });
    },
  },
  {
    name: "forum",
    build: (draw) =>
      siteOf(draw, (at, random, layout) => {
        const { name } = content(random);
        const posts = Array.from({ length: 80 }, () => `<div><b>${word3(random)}</b>${paragraph(random, 2)}</div>`);
        const states =
          at % 4 === 0 ? turns(draw.days, () => 1 + random() * 5, String, random() * 3) : edits(draw.days, 25, random);
        return {
          states,
          answer: ({ day, number }) => {
            const count = 2 + Number(saysOn(states, day));
            return ok(
              layout({
                title: name,
                main: `<h1>${name}</h1><p>${count} posts, ${300 + number} views</p>${posts.slice(0, count).join("")}`,
              }),
            );
          },
        };
      }),
  },
  {
    name: "gone",
    build: (draw) =>
      siteOf(draw, (at, random, layout) => {
        const { name, text } = content(random);
        const leaves = 6 + random() * 20;
        const states: State[] =
          at % 4 === 0
            ? [
                { from: 0, says: "0" },
                { from: leaves, says: null },
                { from: leaves + 15, says: "1" },
              ]
            : edits(draw.days, 16, random);
        const seed = Math.floor(random() * 2 ** 31);
        return {
          states,
          answer: ({ day }) => {
            const { says } = stateOn(states, day);
            // Now and then a page that is there fails for an hour.
            const fails = randomFrom(seed + Math.floor(day * 24))() < 0.02;
            if (says === null || fails) return { status: fails ? 404 : 410, html: "gone" };
            return ok(layout({ title: name, main: `<h1>${name}</h1>${text(Number(says))}` }));
          },
        };
      }),
  },
];

function word3(random: () => number): string {
  return nameOf(random).split(" ")[1] ?? "";
}
