import { describe, expect, test } from "vitest";
import { own, prose, version, versionOfHtml } from "./version.ts";
import { type Ask, WatchedHost } from "./watched-host.ts";

/** What a watch tells of a host, by the rules of noise, rounds and returns. */

const range = (count: number) => Array.from({ length: count }, (_, at) => at);
const pagesOf = (host: WatchedHost, until: number) => host.run(until).map(({ page }) => page);

describe("noise is what two looks a moment apart differ in", () => {
  test.each([["Updated 3 days ago"], ["vor 2 Stunden"]])("a relative time is told of no page: %s", (since) => {
    const units = since.startsWith("vor") ? ["Stunden", "Tagen"] : ["hours ago", "days ago"];
    const show = (page: number, { day }: Ask) => {
      const hours = Math.floor(24 * (day - (page === 0 ? 9.7 : 0)));
      const ago = hours < 48 ? `${Math.abs(hours) + 2} ${units[0]}` : `${Math.floor(hours / 24)} ${units[1]}`;
      const time = since.startsWith("vor") ? `vor ${ago}` : hours < 30 ? "Updated just now" : `Updated ${ago}`;
      return version([...own(page), time, ...own(page + 500, 1)]);
    };
    for (const pages of [1, 12]) expect(new WatchedHost(pages, show).run(20)).toEqual([]);
    const renamed = (page: number, { day }: Ask) =>
      version([...own(page), `${Math.floor(day)} days ago by ${day > 5.5 ? "Anna" : "Bob"}`, ...own(page + 500, 1)]);
    expect(new WatchedHost(1, renamed).run(20)).toHaveLength(1);
  });

  test("two looks that find the same quotation by chance teach nothing", () => {
    // Its author differs between them all the same.
    const show = (page: number, { number }: Ask) => {
      const quotation = prose(9_000 + (number % 2 === 0 ? number : number - 1));
      return version([...own(page, 2), quotation, `A reader of ${prose(20_000 + number)}`, ...own(page + 500, 2)]);
    };
    const chance = (page: number, ask: Ask) => show(page, ask.day < 2 ? ask : { ...ask, number: 2 * ask.number });
    for (const pages of [1, 8]) expect(new WatchedHost(pages, chance).run(15)).toEqual([]);
  });

  test("a state that alternates beside a random quotation is told each time", () => {
    const show = (page: number, { day, number }: Ask) => {
      const state = Math.floor(day / 5) % 2 === 0 ? "In stock" : "Sold out";
      return version([...own(page, 2), state, prose(9_000 + number), ...own(page + 500, 2)]);
    };
    const notices = new WatchedHost(1, show).run(30);
    expect(notices.map(({ day }) => Math.floor(day / 5))).toEqual([1, 2, 3, 4, 5]);
    for (const { day } of notices) expect(day % 5).toBeLessThan(2);
  });

  test("a notice of one page beside the template is told at once where the others have not changed", () => {
    const show = (page: number, { day, number }: Ask) => {
      if (number > 40 && (page !== 5 || day < 3)) return null;
      return version(["Shop", ...(page === 5 && day >= 3 ? ["Closed today."] : []), ...own(page), "Imprint"]);
    };
    const told = new WatchedHost(40, show).run(10);
    expect(told.map(({ page }) => page)).toEqual([5]);
    expect(told[0]?.day).toBeLessThan(5);
  });

  test.each<[string, (ask: Ask) => string]>([
    ["before it", ({ number }) => `(${number % 90}) `],
    ["before it, each time", ({ number }) => `${number} new | `],
  ])("a counter in a title is told on no page: %s", (_, counter) => {
    const show = (page: number, ask: Ask) => version(own(page), { title: `${counter(ask)}${prose(page)} | Site` });
    expect(new WatchedHost(40, show).run(30)).toEqual([]);
    const renamed = (page: number, ask: Ask) =>
      version(own(page), { title: `${counter(ask)}${prose(page === 3 && ask.day > 10 ? 900 : page)} | Site` });
    expect(pagesOf(new WatchedHost(40, renamed), 30)).toEqual([3]);
  });

  test("two servers that take turns from one request to the next are told of no page, and a change of both is", () => {
    const show = (page: number, { day, number }: Ask) =>
      version([...own(2 * page + (number % 2)), ...(page === 0 && day > 10 ? [prose(7_777), prose(7_778)] : [])]);
    const notices = new WatchedHost(8, show).run(20);
    expect(notices.filter(({ page }) => page !== 0)).toEqual([]);
  });

  test("where noise has ended, what stays is told once that is known", () => {
    const show = (page: number, { day, number }: Ask) =>
      version([
        ...own(page),
        "Quote",
        prose(day < 10 ? 9_000 + number : 8_000 + 100 * page + Math.floor(day / 5)),
        "Imprint",
      ]);
    const host = new WatchedHost(6, show);
    expect(host.run(12)).toEqual([]);
    expect(host.run(60).length).toBeGreaterThan(6);
  });
});

describe("states that alternate are changes", () => {
  test("a sale is told of each page, though the reader leaves its short line out of the content", () => {
    const show = (page: number, { day, number }: Ask) => {
      const isSale = Math.floor((day + page) / 5) % 2 === 1;
      const price = isSale ? `<del>$${90 + page}.00</del> <b>$${70 + page}.00</b> Sale` : `$${90 + page}.00`;
      const texts = range(4).map(
        (part) =>
          `<p>${range(4)
            .map((at) => prose(100 * page + 4 * part + at))
            .join(" ")}</p>`,
      );
      return versionOfHtml(
        `<!doctype html><title>Lamp ${page}</title><div><div>A shop</div><ul><li><a href="/a">Lamps</a></li></ul></div>` +
          `<div><div><h1>${prose(page).slice(0, 30)}</h1><div class="x">${price}</div><div>In stock.</div>${texts.join("")}` +
          `</div><div><h4>Others bought</h4><p>Lamp ${number} $${number % 90}.00</p><p>Lamp ${3 * number} $7.00</p></div></div><div>© A shop</div>`,
      );
    };
    const notices = new WatchedHost(8, show).run(21);
    for (const page of range(8)) expect(notices.filter((notice) => notice.page === page)).toHaveLength(4);
  });

  test("a price that is new each day is told each day, on each page", () => {
    const show = (page: number, { day }: Ask) =>
      version([...own(page), `Price: ${10 + page}.${10 + (Math.floor(day) % 80)} EUR`, "Imprint"]);
    const host = new WatchedHost(20, show);
    const told = host.run(30);
    for (const page of range(20)) expect(told.filter((notice) => notice.page === page)).toHaveLength(29);
    // A place that a look found steady needs no other for two weeks.
    expect(host.looks).toBeLessThan(20 * 3);
  });
});

describe("template is what changes on most pages at once", () => {
  test("a new line of the menu is told of no page, and one that a single page has got is told of that", () => {
    const show = (page: number, { day }: Ask) =>
      version([
        "Download",
        "Sponsors",
        ...(day > 5 || (page === 7 && day > 2) ? ["Privacy"] : []),
        ...own(page),
        "Imprint",
      ]);
    const notices = new WatchedHost(40, show).run(20);
    expect(notices.map(({ page }) => page)).toEqual([7]);
    expect(notices[0]?.day).toBeLessThan(4.5);
  });

  test("a banner that is new each day is told of no page", () => {
    const show = (page: number, { day }: Ask) =>
      version(["Download", "Sponsors", prose(9_000 + Math.floor(day)), ...own(page), "Imprint"]);
    expect(new WatchedHost(40, show).run(20)).toEqual([]);
  });

  test("what was above a page when it was stored, and is not taken for content any more, is not told as gone", () => {
    // Each page has one edit, at which it is stored with the banner of that day.
    const show = (page: number, { day }: Ask) => {
      const banner = prose(9_000 + Math.floor(day / 3));
      const edited = 4 + page / 8;
      const text = own(day < edited ? page : page + 500);
      const isContent = Math.abs(day - edited) < 1.5 || (day > 3 && day < 9 && page % 3 === 0);
      return version(isContent ? [banner, ...text] : text, { pageText: [banner, ...text].join("\n") });
    };
    const notices = new WatchedHost(40, show).run(30);
    for (const page of range(40)) expect(notices.filter((notice) => notice.page === page)).toHaveLength(1);
  });

  test("a new name of the site in all titles is told of no page, and one in a single title is told of that", () => {
    const show = (page: number, { day }: Ask) =>
      version([...own(page), "Imprint"], { title: `${prose(page)} | ${siteOn(page, day)}` });
    const siteOn = (page: number, day: number) => (day > 8 ? "Bakery" : page === 7 && day > 3 ? "Closed" : "Mill");
    const notices = new WatchedHost(40, show).run(20);
    expect(notices.filter(({ page }) => page !== 7)).toEqual([]);
    expect(notices[0]?.day).toBeLessThan(5.5);
  });

  test("a new design is told of no page, though its menu is taken for content on some", () => {
    const menu = ["Bakery", "Bread", "Cakes", "Sweets"];
    const show = (page: number, { day }: Ask) => {
      const text = [...own(page), ...(page === 3 && day > 5 ? [prose(7_777)] : [])];
      if (day < 5) return version(text, { title: prose(page), pageText: ["Mill", "Flour", ...text].join("\n") });
      const blocks = page % 3 === 0 ? [...menu, ...text] : page % 3 === 1 ? [...text, "About us"] : text;
      return version(blocks, { title: prose(page), pageText: [...menu, ...text, "About us"].join("\n") });
    };
    expect(pagesOf(new WatchedHost(40, show), 20)).toEqual([3]);
  });

  test("a line at the end of a page whose surroundings stay is told at its first visit", () => {
    const show = (page: number, { day }: Ask) => {
      const text = [...own(page), ...(page === 3 && day > 5 ? [prose(7_777)] : [])];
      return version(text, { pageText: ["Mill", "Flour", ...text].join("\n") });
    };
    const [notice] = new WatchedHost(40, show).run(20);
    expect(notice).toMatchObject({ page: 3 });
    expect(notice?.day).toBeLessThan(6.05);
  });

  test("a date in a footer is told of no page, though the reader takes the footer for content on few of them", () => {
    const show = (at: number, { day }: Ask) =>
      version([...own(at), ...(at % 4 === 3 ? [`Prices of 2026-01-${10 + Math.floor(day)}`] : [])]);
    expect(new WatchedHost(30, show).run(20)).toEqual([]);
  });

  test.each<[string, number, (day: number) => string]>([
    ["in words, on two of forty pages", 20, (day) => `${prose(700 + day)} ${day}`],
    ["as a date, on eight of forty pages", 5, (day) => new Date(day * 86_400_000).toUTCString().slice(0, 16)],
  ])("a day in a footer that the reader takes for content is told of hardly any page: %s", (_, each, dayOf) => {
    const show = (at: number, { day }: Ask) => {
      const footer = dayOf(Math.floor(day));
      const blocks = at % each === 3 ? [...own(at), footer] : own(at);
      return version(blocks, { pageText: [...own(at), footer].join("\n") });
    };
    expect(new WatchedHost(40, show).run(20).length).toBeLessThanOrEqual(4);
  });

  test("what all three pages of a host say is told of each", () => {
    const show = (_: number, { day }: Ask) => {
      const blocks = ["Otters", prose(day < 2 ? 1 : 2)];
      return version(blocks, { pageText: blocks.join("\n") });
    };
    expect(pagesOf(new WatchedHost(3, show), 5).toSorted()).toEqual([0, 1, 2]);
  });

  test("a line that two pages of many have got is told of both", () => {
    const show = (page: number, { day }: Ask) =>
      version([...own(page), ...(page < 2 && day > 3 ? ["New in version 3"] : []), "Imprint"]);
    expect(pagesOf(new WatchedHost(40, show), 20).toSorted()).toEqual([0, 1]);
  });

  test("what one page of thirty says else than a shared sentence is told, though all footers have a new date", () => {
    const show = (page: number, { day }: Ask) => {
      const shared =
        page === 4 && day > 5 ? "This service is closed." : `This service answers within ${page + 2} hours.`;
      return version([...own(page), shared, `Checked on ${1 + Math.floor(day)} May 2026`]);
    };
    expect(pagesOf(new WatchedHost(30, show), 20)).toEqual([4]);
  });

  test("another number of one page is its change, too", () => {
    const show = (page: number, { day }: Ask) =>
      version([
        ...own(page),
        `This service answers within ${page + (page === 4 && day > 5 ? 90 : 2)} hours.`,
        "Imprint",
      ]);
    const notices = new WatchedHost(30, show).run(20);
    expect(notices.map(({ page }) => page)).toEqual([4]);
    expect(notices[0]?.day).toBeLessThan(7);
  });

  test("a new date on all pages is told of none", () => {
    const show = (page: number, { day }: Ask) => version([...own(page), `Checked on ${1 + Math.floor(day)} May 2026`]);
    const host = new WatchedHost(30, show);
    expect(host.run(25)).toEqual([]);
    expect(host.visits).toBeLessThan(1.2 * 30 * 25);
  });
});
