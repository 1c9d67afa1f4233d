/** Classes that were written after the rules of both other sets: small edits among noise of other kinds. */
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
  pick,
  type State,
  saysOn,
  sentence,
  siteOf,
  turns,
  type UnkindClass,
  word,
} from "./site.ts";

/** A page of which one sentence is another one from a day on. */
interface RevisedPage {
  at: number;
  name: string;
  layout: Layout;
  states: readonly State[];
  /** Its paragraphs on a day. */
  paragraphs(day: number): string[];
}

/** A site whose pages are revised some 16 days apart, a sentence each time. */
function revisedSite(draw: Draw, answer: (page: RevisedPage, ask: Ask) => Answer) {
  return siteOf(draw, (at, random, layout) => {
    const { name } = content(random);
    const states = edits(draw.days, 16, random);
    const said = Array.from({ length: 9 + Math.floor(random() * 9) }, () => sentence(random));
    const seed = Math.floor(random() * 2 ** 31);
    const paragraphs = (day: number) => {
      const sentences = [...said];
      for (let version = 1; version <= Number(saysOn(states, day)); version++) {
        const random = randomFrom(seed + version);
        sentences[Math.floor(random() * sentences.length)] = sentence(random);
      }
      return Array.from(
        { length: Math.ceil(sentences.length / 3) },
        (_, part) => `<p>${sentences.slice(part * 3, part * 3 + 3).join(" ")}</p>`,
      );
    };
    const page = { at, name, layout, states, paragraphs };
    return { states, answer: (ask) => answer(page, ask) };
  });
}

const main = ({ name, paragraphs }: RevisedPage, day: number) => `<h1>${name}</h1>${paragraphs(day).join("\n")}`;

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

export const FURTHER: readonly UnkindClass[] = [
  {
    // One sentence of many is another one, and nothing else differs.
    name: "small-edits",
    build: (draw) => revisedSite(draw, (page, { day }) => ok(page.layout({ title: page.name, main: main(page, day) }))),
  },
  {
    // Advertisements between the paragraphs, each request another two of them.
    name: "advertisements",
    build: (draw) => {
      const pool = Array.from({ length: 30 }, () => `${nameOf(draw.random)}: ${sentence(draw.random)}`);
      return revisedSite(draw, (page, { day, random: mine }) => {
        const parts = page.paragraphs(day);
        for (const place of [1, 3])
          parts.splice(place, 0, `<div class="x"><p>Advertisement</p><p>${pick(pool, mine)}</p></div>`);
        return ok(page.layout({ title: page.name, main: `<h1>${page.name}</h1>${parts.join("\n")}` }));
      });
    },
  },
  {
    // A countdown, and the day of the next delivery: all pages of a host have another one each day.
    name: "next-delivery",
    build: (draw) =>
      revisedSite(draw, (page, { day }) => {
        const left = 1 - (day % 1);
        const clock = `${Math.floor(left * 24)} h ${Math.floor((left * 1440) % 60)} min`;
        const next = WEEKDAYS[(Math.floor(day) + 2) % 7];
        const promise = `<p>Order within ${clock}, and it is with you on ${next}, ${1 + ((Math.floor(day) + 2) % 28)} March.</p>`;
        return ok(
          page.layout({ title: page.name, main: `<h1>${page.name}</h1>${promise}${page.paragraphs(day).join("")}` }),
        );
      }),
  },
  {
    // The meal of the day, another one for each canteen.
    name: "meals",
    build: (draw) =>
      siteOf(draw, (_, random, layout) => {
        const { name, text } = content(random);
        const states = turns(
          draw.days,
          () => 1,
          () => `${sentence(random)} ${sentence(random)}`,
          0.1,
        );
        return {
          states,
          answer: ({ day }) =>
            ok(layout({ title: name, main: `<h1>${name}</h1><h2>Today</h2><p>${saysOn(states, day)}</p>${text()}` })),
        };
      }),
  },
  {
    // The weather of the hour above all pages.
    name: "weather",
    build: (draw) => {
      const seed = Math.floor(draw.random() * 2 ** 31);
      const skies = ["Clear sky", "Rain", "Snow showers", "Cloudy", "Fog in the morning", "Strong wind from the west"];
      return revisedSite(draw, (page, { day }) => {
        const hour = randomFrom(seed + Math.floor(day * 24));
        const banner = `<div><span>${pick(skies, hour)}</span>, <span>${Math.floor(hour() * 30) - 5} °C</span></div>`;
        return ok(page.layout({ title: page.name, main: main(page, day), banner }));
      });
    },
  },
  {
    // Now and then half of the page is missing, with the status 200.
    name: "half-pages",
    build: (draw) =>
      revisedSite(draw, (page, { day, random: mine }) => {
        const html = page.layout({ title: page.name, main: main(page, day) });
        return ok(mine() < 0.04 ? html.slice(0, html.length * (0.3 + mine() * 0.4)) : html);
      }),
  },
  {
    // For some hours now and then, the content is missing: the layout alone answers.
    name: "empty-shells",
    build: (draw) => {
      const seed = Math.floor(draw.random() * 2 ** 31);
      return revisedSite(draw, (page, { day }) => {
        const isEmpty = randomFrom(seed + page.at * 1_000 + Math.floor(day * 4))() < 0.03;
        return ok(page.layout({ title: page.name, main: isEmpty ? "" : main(page, day) }));
      });
    },
  },
  {
    // The pieces that are left, in one sentence of all pages.
    name: "pieces-left",
    build: (draw) =>
      siteOf(draw, (_, random, layout) => {
        const { name, text } = content(random);
        let left = 20 + Math.floor(random() * 60);
        const states = turns(
          draw.days,
          () => 3 + random() * 12,
          () => {
            left = left < 5 ? 80 : left - 1 - Math.floor(random() * 4);
            return String(left);
          },
          random() * 6,
        );
        return {
          states,
          answer: ({ day }) =>
            ok(
              layout({
                title: name,
                main: `<h1>${name}</h1><p>Only ${saysOn(states, day)} left. Ships in 2 days.</p>${text()}`,
              }),
            ),
        };
      }),
  },
  {
    // A table whose rows are named alike on all pages; one cell is another one now and then.
    name: "data-sheets",
    build: (draw) => {
      const labels = Array.from({ length: 8 }, () => `${word(draw.random)} ${word(draw.random)}`);
      return siteOf(draw, (_, random, layout) => {
        const { name } = content(random);
        const cells = labels.map(() => `${Math.floor(random() * 900)} ${pick(["mm", "kg", "V", "days"], random)}`);
        const states = turns(
          draw.days,
          () => 8 + random() * 20,
          () => {
            cells[Math.floor(random() * cells.length)] =
              `${Math.floor(random() * 900)} ${pick(["mm", "kg", "V", "days"], random)}`;
            return cells.join(";");
          },
          random() * 10,
        );
        const rows = (day: number) =>
          saysOn(states, day)
            .split(";")
            .map((cell, row) => `<tr><th>${labels[row]}</th><td>${cell}</td></tr>`)
            .join("");
        return {
          states,
          answer: ({ day, number }) =>
            ok(
              layout({
                title: name,
                main: `<h1>${name}</h1><table>${rows(day)}</table><p>Sheet printed ${Math.floor(number / 3)} times</p>`,
              }),
            ),
        };
      });
    },
  },
  {
    // News of a version at the top; the oldest of ten falls off the end.
    name: "releases",
    build: (draw) =>
      siteOf(draw, (_, random, layout) => {
        const { name } = content(random);
        const notes = Array.from({ length: 40 }, (_, at) => `<h2>Version 2.${at}</h2><p>${sentence(random)}</p>`);
        const states = edits(draw.days, 9, random);
        return {
          states,
          answer: ({ day }) => {
            const last = 12 + Number(saysOn(states, day));
            const shown = notes.slice(last - 10, last).reverse();
            return ok(layout({ title: `${name} releases`, main: `<h1>${name}</h1>${shown.join("")}` }));
          },
        };
      }),
  },
  {
    // The title alone says it.
    name: "titles",
    build: (draw) =>
      siteOf(draw, (_, random, layout) => {
        const { name, text } = content(random);
        const states = turns(
          draw.days,
          () => 4 + random() * 14,
          (turn) => (turn % 2 === 0 ? name : `${pick(["Reserved", "Sold", "New price"], random)}: ${name}`),
          random() * 9,
        );
        return {
          states,
          answer: ({ day, random: mine }) =>
            ok(
              layout({
                title: saysOn(states, day),
                main: `<h1>${name}</h1>${text()}`,
                aside: `<h4>Seen lately</h4>${[1, 2, 3].map(() => `<p>${nameOf(mine)}</p>`).join("")}`,
              }),
            ),
        };
      }),
  },
  {
    // After an edit, some of the caches show the page before it for a day and a half.
    name: "caches",
    build: (draw) =>
      revisedSite(draw, (page, { day, random: mine }) => {
        const isOld = mine() < 0.5;
        return ok(page.layout({ title: page.name, main: main(page, isOld ? Math.max(0, day - 1.5) : day) }));
      }),
  },
  {
    // Half of the readers get another headline, drawn for each request.
    name: "headlines",
    build: (draw) =>
      revisedSite(draw, (page, { day, random: mine }) => {
        const title = mine() < 0.5 ? page.name : `Why ${page.name} matters`;
        return ok(page.layout({ title, main: `<h1>${title}</h1>${page.paragraphs(day).join("\n")}` }));
      }),
  },
  {
    // A list in an order that each request draws; now and then it has one name more, or one less.
    name: "shuffled",
    build: (draw) =>
      siteOf(draw, (_, random, layout) => {
        const { name } = content(random);
        const all = Array.from({ length: 60 }, () => nameOf(random));
        const states = edits(draw.days, 12, random);
        return {
          states,
          answer: ({ day, random: mine }) => {
            const count = 8 + Number(saysOn(states, day));
            const items = all
              .slice(0, count)
              .map((item) => ({ item, order: mine() }))
              .sort((a, b) => a.order - b.order);
            return ok(
              layout({
                title: name,
                main: `<h1>${name}</h1><ul>${items.map(({ item }) => `<li>${item}</li>`).join("")}</ul>`,
              }),
            );
          },
        };
      }),
  },
];
