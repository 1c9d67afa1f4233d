import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { randomFrom } from "../../../bench/freshness/random.ts";
import { own, prose, version } from "./version.ts";
import { type Ask, WatchedHost } from "./watched-host.ts";

/** What a watch tells of drawn hosts, and over a year. */

const range = (count: number) => Array.from({ length: count }, (_, at) => at);
/** 0 to 1, the same for the same numbers. */
function drawn(number: number, seed: number): number {
  const value = Math.sin(number * 12.9898 + seed) * 43_758.5453;
  return value - Math.floor(value);
}

describe("noise", () => {
  test("a headline of two, drawn for each request, is told on few pages, and what stands below it on all", () => {
    const pages = 20;
    const told = range(3).flatMap((seed) => {
      const show = (page: number, { day, number }: Ask) => {
        const name = prose(page).slice(0, 30);
        const headline = drawn(number, seed) < 0.5 ? name : `Why ${name} matters`;
        const edited = own(day > 15 ? 500 + page : page);
        return version([headline, ...edited, "Imprint"], { title: `${headline} | Site` });
      };
      return new WatchedHost(pages, show).run(25);
    });
    const isOfEdit = ({ day }: { day: number }) => day > 15;
    expect(told.filter(isOfEdit).length).toBeGreaterThanOrEqual(3 * pages);
    expect(told.filter((notice) => !isOfEdit(notice)).length).toBeLessThanOrEqual(6);
  });

  test("two servers that show other lists on all pages, without order, are told of hardly any", () => {
    const noticesOf = (seed: number) => {
      const show = (page: number, { number }: Ask) =>
        version([...own(page), "Popular", ...own(9_000 + Number(drawn(number, seed) >= 0.5)), "Imprint"]);
      return new WatchedHost(40, show).run(20).length;
    };
    // Of 320 pages: the first looks may meet the same server by chance.
    expect(range(8).reduce((sum, seed) => sum + noticesOf(seed), 0)).toBeLessThanOrEqual(6);
  });

  test("on any site, a change beside noise is told, and noise never is", () => {
    const noisy = fc.constantFrom("counter", "list", "word", "title");
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 24 }),
        noisy,
        fc.nat(3),
        fc.integer({ min: 4, max: 18 }),
        (count, kind, place, day) => {
          const edited = count - 1;
          const show = (page: number, { day: now, number }: Ask) => {
            const text = own(page);
            const noise = {
              counter: [`Read ${number} times by our ${prose(page)}`],
              list: ["See also", prose(9_000 + number), prose(19_000 + number), "End of it"],
              word: [`Seen last in the town of ${prose(number).split(" ")[3]} by a reader of ours`],
              title: [],
            }[kind];
            const blocks = [...text.slice(0, place), ...noise, ...text.slice(place)];
            if (page === edited && now >= day) blocks[blocks.indexOf(text[3] ?? "")] = prose(60_000);
            return version(["Menu of the site", ...blocks, "Imprint of the site"], {
              title: kind === "title" ? `(${number}) ${prose(page)}` : "Title",
            });
          };
          const notices = new WatchedHost(count, show).run(day + 4);
          expect(notices.map(({ page }) => page)).toEqual([edited]);
          expect(notices[0]?.day).toBeLessThan(day + 2);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("noise of large hosts, and of menus", () => {
  test("a menu that is drawn for each request, above each page's own text, is told of hardly any", () => {
    const menus = [range(4).map((at) => `Offer ${prose(at)}`), range(4).map((at) => `Guide ${prose(50 + at)}`)];
    const noticesOf = (seed: number) => {
      const show = (page: number, { day, number }: Ask) => {
        const menu = menus[Number(drawn(number, seed) < 0.5)] ?? [];
        const text = own(day < 20 + page / 4 ? page : page + 500);
        const isContent = drawn(page, seed) < 0.6;
        return version(isContent ? [...menu, ...text] : text, { pageText: [...menu, ...text].join("\n") });
      };
      const notices = new WatchedHost(40, show).run(45);
      const times = range(40).map((page) => notices.filter((notice) => notice.page === page).length);
      expect(times.filter((count) => count === 0)).toEqual([]);
      return notices.length - 40;
    };
    // Of 120 changes: several looks may find the same menu by chance.
    expect(range(3).reduce((sum, seed) => sum + noticesOf(seed), 0)).toBeLessThanOrEqual(3);
  });

  test("a quotation between the paragraphs of each page is told on hardly any page of 40", () => {
    const show = (page: number, { day, number }: Ask) => {
      const [heading = "", first = "", ...others] = own(day > 15 && page === 9 ? 500 : page);
      const quotation = [prose(9_000 + Math.floor(50 * drawn(number, 1))), `A reader of ${prose(20_000 + number)}`];
      return version([heading, first, ...quotation, ...others]);
    };
    const notices = new WatchedHost(40, show).run(30);
    expect(notices.filter(({ page }) => page === 9)).toHaveLength(1);
    expect(notices.length).toBeLessThanOrEqual(1);
  });

  test("a quotation between the paragraphs of each page is told on hardly any page of 200", () => {
    const show = (page: number, { day, number }: Ask) => {
      const [heading = "", first = "", ...others] = own(day > 15 && page === 9 ? 500 : page);
      const quotation = [prose(9_000 + Math.floor(50 * drawn(number, 1))), `A reader of ${prose(20_000 + number)}`];
      return version([heading, first, ...quotation, ...others]);
    };
    const notices = new WatchedHost(200, show).run(30);
    expect(notices.filter(({ page }) => page === 9)).toHaveLength(1);
    expect(notices.length).toBeLessThanOrEqual(5);
  });
});

describe("states that alternate", () => {
  const says = (isOn: boolean) => (isOn ? "In stock. Ships in two days." : "Sold out.");

  test.each([3, 7, 30])("states of %d days are each told within two visits, over a year", (lasts) => {
    const show = (page: number, { day }: Ask) =>
      version([...own(page), says(page > 2 || Math.floor(day / lasts) % 2 === 0), "Imprint"]);
    const notices = new WatchedHost(12, show).run(366);
    for (const page of [0, 1, 2]) {
      const told = notices.filter((notice) => notice.page === page);
      expect(told).toHaveLength(Math.floor(364 / lasts));
      for (const [at, { day, backTo }] of told.entries()) {
        expect(day - (at + 1) * lasts).toBeLessThan(2);
        // The last visit that found the state before this one ended.
        if (at > 0) expect(backTo).toBeGreaterThan(at * lasts - 2);
        if (at > 0) expect(backTo).toBeLessThan(at * lasts + 2);
      }
    }
    expect(notices.filter(({ page }) => page > 2)).toEqual([]);
  });

  test.each([2, 4])("states of all pages of a shop are each told, below a footer with a date: %s", (seed) => {
    const random = randomFrom(seed);
    const lastsOf = (page: number) => [3, 7, 30][page % 3] ?? 7;
    const begins = range(40).map((page) => random() * lastsOf(page));
    const turn = (page: number, day: number) =>
      page % 4 === 3 ? 0 : Math.max(0, Math.floor((day - (begins[page] ?? 0)) / lastsOf(page)));
    const show = (page: number, { day }: Ask) => {
      const text = [...own(page), says(turn(page, day) % 2 === 0), ...own(page + 500)];
      const footer = `Prices of 2026-01-${10 + Math.floor(day)}`;
      return version(page % 4 === 1 ? [...text, footer] : text, { pageText: [...text, footer].join("\n") });
    };
    const notices = new WatchedHost(40, show).run(40);
    for (const page of range(40)) {
      const told = notices.filter((notice) => notice.page === page).length;
      // What came before the first visit, or shortly before the end, may be told or not.
      expect(told).toBeGreaterThanOrEqual(turn(page, 37.5) - turn(page, 2));
      expect(told).toBeLessThanOrEqual(turn(page, 40));
    }
  });

  test.each([1, 3, 4])("of eight pages of forty with a state, %d that turn on one day are each told", (turning) => {
    const show = (page: number, { day }: Ask) => {
      const state = page % 5 === 1 ? [says(page > 5 * turning || day < 10)] : [];
      return version([...own(page), ...state, ...own(page + 500), "Imprint"]);
    };
    const notices = new WatchedHost(40, show).run(14);
    const turned = range(turning).map((at) => 5 * at + 1);
    expect(notices.map(({ page }) => page).toSorted((a, b) => a - b)).toEqual(turned);
  });

  describe("pages that are closed on a day of the week", () => {
    const isClosed = (page: number, day: number) => Math.floor(day) % 7 === (3 * page) % 7;
    const hours = (page: number) => `Open today from ${7 + (page % 4)}:00 to ${16 + (page % 5)}:30`;
    const line = (page: number, day: number) => (isClosed(page, day) ? "Closed today" : hours(page));
    const daysSeen = (page: number, asked: readonly number[]) =>
      new Set(asked.filter((day) => isClosed(page, day) && day >= 14 && day < 69).map(Math.floor));

    /** Runs the host for ten weeks; returns the notices, and when each page was asked. */
    function watch(show: (page: number, day: number) => string[]) {
      const asked = range(40).map((): number[] => []);
      const host = new WatchedHost(40, (page, { day }) => {
        asked[page]?.push(day);
        return version(show(page, day));
      });
      return { notices: host.run(70), asked };
    }

    test("each closing that a visit sees is told on its day, from the third week on", () => {
      const { notices, asked } = watch((page, day) => [...own(page), line(page, day), ...own(page + 500), "Imprint"]);
      const isTold = (page: number, closed: number) =>
        notices.some((notice) => notice.page === page && Math.floor(notice.day) === closed);
      const seen = range(40).flatMap((page) =>
        [...daysSeen(page, asked[page] ?? [])].map((day) => [page, day] as const),
      );
      expect(seen.length).toBeGreaterThan(200);
      const missed = seen.filter(([page, day]) => !isTold(page, day));
      expect(missed.length).toBeLessThan(0.02 * seen.length);
      for (const page of range(40)) {
        let last = line(page, 0);
        for (const { day } of notices.filter((notice) => notice.page === page)) {
          expect(line(page, day)).not.toBe(last);
          last = line(page, day);
        }
      }
    });

    test("a banner that comes to all pages for a day each week is told of none of them", () => {
      const { notices } = watch((page, day) => {
        const banner =
          Math.floor(day) % 7 === 5 ? [`No deliveries on the feast of ${prose(Math.floor(day)).slice(0, 12)}`] : [];
        return [...banner, ...own(page), line(page, day), ...own(page + 500), "Imprint"];
      });
      const wrong = range(40).map((page) => {
        let last = line(page, 0);
        return notices.filter((notice) => {
          if (notice.page !== page) return false;
          const isSame = line(page, notice.day) === last;
          last = line(page, notice.day);
          return isSame;
        }).length;
      });
      expect(wrong.reduce((sum, count) => sum + count, 0)).toBeLessThan(0.02 * notices.length);
    });
  });

  test("whatever states a page takes, each that lasts two visits is told", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ says: fc.nat(3), days: fc.integer({ min: 2, max: 9 }) }), { minLength: 2, maxLength: 12 }),
        fc.integer({ min: 1, max: 9 }),
        (states, pages) => {
          const days = states.flatMap(({ says: state, days: lasts }) => range(lasts).map(() => state));
          const show = (page: number, { day }: Ask) =>
            version([...own(page), prose(70_000 + (page === 0 ? (days[Math.floor(day)] ?? 9) : 0)), "Imprint"]);
          const notices = new WatchedHost(pages, show).run(days.length);
          const changes = days.filter((state, at) => at > 0 && state !== days[at - 1]).length;
          expect(notices.every(({ page }) => page === 0)).toBe(true);
          expect(notices).toHaveLength(changes);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("a list of links beside the content, other ones for each request", () => {
  const names = range(12).map((at) => prose(300_000 + at).slice(0, 18));
  const drawn = (random: () => number) => range(3).map(() => names[Math.floor(random() * names.length)] ?? "");

  test("of which the reader takes some for content: edits are told, and hardly a link", () => {
    const edit = (page: number, day: number) => Math.floor((day + 3 * page) / 11);
    const counts = range(4).map((seed) => {
      const show = (page: number, { day, number }: Ask) => {
        const random = randomFrom(1_000_000 * seed + number);
        const links = drawn(random);
        const taken = links.slice(0, random() < 0.2 ? 1 + Math.floor(random() * 3) : 0);
        const text = [...own(page), prose(60_000 + 100 * page + edit(page, day)), ...own(page + 500)];
        return version([...text, ...taken], { pageText: [...text, ...links].join("\n") });
      };
      const notices = new WatchedHost(40, show).run(60);
      const byPage = range(40).map((page) => notices.filter((notice) => notice.page === page));
      const versions = byPage.map((told, page) => told.map(({ day }) => edit(page, day)));
      for (const [page, told] of versions.entries())
        for (let one = edit(page, 0) + 1; one < edit(page, 56); one++) expect(told).toContain(one);
      const wrong = versions.map(
        (told, page) => told.filter((one, at) => one === (told[at - 1] ?? edit(page, 0))).length,
      );
      return { told: notices.length, wrong: wrong.reduce((sum, count) => sum + count, 0) };
    });
    const sum = (of: "told" | "wrong") => counts.reduce((all, one) => all + one[of], 0);
    expect(sum("wrong")).toBeLessThan(0.01 * sum("told"));
  });

  test.each([
    [0.01, 0, 0],
    [0.2, 0.02, 0.01],
    [0.5, 0.08, 0.02],
  ])(
    "below a price, and taken for content at %d of the visits: prices are told, and no link",
    (share, daily, others) => {
      const lasts = (page: number) => 1 + (page % 4);
      const price = (page: number, day: number) => Math.floor((day + page) / lasts(page));
      const show = (page: number, { day, number }: Ask) => {
        const random = randomFrom(7_000_000 + number);
        const links = drawn(random);
        const taken = random() < share ? links.slice(0, 1 + Math.floor(random() * 3)) : [];
        const text = [...own(page), `${prose(page).slice(0, 30)} costs ${price(page, day)}.99 a piece`];
        return version([...text, ...taken], { pageText: [...text, ...links].join("\n") });
      };
      const notices = new WatchedHost(40, show).run(28);
      const missedOf = (pages: readonly number[]) => {
        const missed = pages.map((page) => {
          const told = notices.filter((notice) => notice.page === page).map(({ day }) => price(page, day));
          expect(told.filter((one, at) => one === (told[at - 1] ?? price(page, 0)))).toEqual([]);
          const since = price(page, 8) + 1;
          const all = range(price(page, 24) - since + 1).map((at) => since + at);
          return [all.filter((one) => !told.includes(one)).length, all.length];
        });
        const sum = (of: 0 | 1) => missed.reduce((all, counts) => all + (counts[of] ?? 0), 0);
        return sum(0) / sum(1);
      };
      expect(missedOf(range(40).filter((page) => lasts(page) === 1))).toBeLessThanOrEqual(daily);
      expect(missedOf(range(40).filter((page) => lasts(page) > 1))).toBeLessThanOrEqual(others);
    },
  );

  test("with what is sold out: states of pages in the same words are told within three visits", () => {
    const says = (isOn: boolean) => (isOn ? "In stock" : "Sold out");
    const turn = (page: number, day: number) => (page % 2 === 0 ? 0 : Math.floor((day + page) / (4 + (page % 5))));
    const show = (page: number, { day, number }: Ask) => {
      const text = [...own(page), says(turn(page, day) % 2 === 0), ...own(page + 500)];
      const cards = drawn(randomFrom(number)).flatMap((name, at) => [name, says((number + at) % 3 > 0)]);
      return version(text, { pageText: [...text, ...cards].join("\n") });
    };
    const notices = new WatchedHost(40, show).run(60);
    for (const page of range(40)) {
      const told = notices.filter((notice) => notice.page === page).length;
      expect(told).toBeGreaterThanOrEqual(turn(page, 57) - turn(page, 2));
      expect(told).toBeLessThanOrEqual(turn(page, 60) - turn(page, 0));
    }
  });
});

test.each<[string, (page: number, ask: Ask) => string[]]>([
  ["a counter", (at, { number }) => [...own(at), `You are visitor ${1_000 + 17 * number}`]],
  ["a time", (at, { number }) => [`Generated at 12:03:${10 + (number % 50)}`, ...own(at)]],
  ["a token", (at, { number }) => [...own(at, 2), `Token 8f3a9c0b77d14e5f${number}`, ...own(at + 500, 2)]],
  [
    "random links",
    (at, { number }) => [...own(at), "Related", prose(9_000 + number), prose(19_000 + number), "Imprint"],
  ],
  ["a quotation at the end", (at, { number }) => [...own(at), prose(9_000 + number)]],
  ["a quotation at the beginning", (at, { number }) => [prose(9_000 + number), ...own(at)]],
  [
    "words in a sentence",
    (at, { number }) => [...own(at), `Welcome to our readers from ${prose(number).split(" ")[3]} and beyond`],
  ],
])("%s is told on no page of forty, and none of one", (_, blocks) => {
  const show = (page: number, ask: Ask) => version(blocks(page, ask));
  const host = new WatchedHost(40, show);
  expect(host.run(30)).toEqual([]);
  // Two pages teach it of all, so few looks are needed.
  expect(host.looks).toBeLessThan(60);
  expect(new WatchedHost(1, show).run(30)).toEqual([]);
});

describe("a banner of each day", () => {
  // A third of the pages say that they have not changed, whatever they say.
  test("is told of hardly any page where validators lie beside it", () => {
    const show = (page: number, { day, number }: Ask) => {
      if (page % 3 === 0 && number > 40) return null;
      const blocks = ["Shop", prose(3_000 + Math.floor(day)), ...own(page), `You may like ${prose(9_000 + number)}`];
      return version(blocks, { pageText: blocks.join("\n") });
    };
    // Which page sees a new banner first on five days in a row is told of the last one.
    expect(new WatchedHost(40, show).run(20).length).toBeLessThanOrEqual(4);
  });

  test("above pages that have nothing else in common is told of none", () => {
    const show = (page: number, { day }: Ask) => {
      const banner = prose(9_000 + Math.floor(day));
      const text = own(page + 500 * Math.floor((day + page / 4) / 12));
      const isContent = (page * 7 + Math.floor(day) * 3) % 10 < 3;
      return version(isContent ? [banner, ...text] : text, { pageText: [banner, ...text].join("\n") });
    };
    const notices = new WatchedHost(40, show).run(50);
    for (const page of range(40)) expect(notices.filter((notice) => notice.page === page)).toHaveLength(4);
  });

  test("that is taken for content on some pages alone is told of none", () => {
    const show = (page: number, { day }: Ask) => {
      const banner = ["Sponsors", prose(9_000 + Math.floor(day))];
      const blocks = ["Download", ...own(page), "Imprint"];
      const isContent = (page * 7 + Math.floor(day) * 3) % 10 < 5;
      const pageText = [...banner, ...blocks].join("\n");
      return version(isContent ? [...banner, ...blocks] : blocks, { pageText });
    };
    expect(new WatchedHost(40, show).run(20)).toEqual([]);
  });
});
