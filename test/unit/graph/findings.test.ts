import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { limitsOf } from "../../../src/graph/problems/find-page-problems.ts";
import { FINDING_KINDS, type Finding } from "../../../src/graph/problems/finding.ts";
import { findAll, link, ORIGIN, type SiteRow } from "./site.ts";

const page = (page: SiteRow["page"] = {}): SiteRow => ({ page });
const broken = (httpStatus: number): SiteRow => ({ state: "broken", httpStatus });
const redirect = (redirectTo: string): SiteRow => ({ state: "redirect", redirectTo, httpStatus: 301 });
/** A finding in one line: kind, page, then what else it has. */
const tell = ({ kind, page, target, text, place, hops, detail }: Finding) =>
  [kind, page, target ?? "", text ?? "", place ?? "", hops?.join(" > ") ?? "", detail ?? ""]
    .join(" | ")
    .replaceAll(ORIGIN, "")
    .replace(/(?: \| )+$/, "");
const tellAll = (...site: Parameters<typeof findAll>) => findAll(...site).map(tell);

test("docs/analysis.md has a row of each kind", () => {
  const docs = readFileSync(join(import.meta.dirname, "../../../docs/analysis.md"), "utf8");
  const rows = docs.split("\n").filter((line) => line.startsWith("| `"));
  const named = new Set(rows.flatMap((row) => row.split(" | ")[0]?.match(/[a-z0-9-]+/g) ?? []));
  expect(Object.keys(FINDING_KINDS).filter((kind) => !named.has(kind))).toEqual([]);
});

describe("links", () => {
  test("each page that has a broken link is found, with its words and its place", () => {
    const site = {
      "/": page({
        links: [link("/gone", { text: "Old" }), link("/gone", { text: "Menu", place: "navigation" }), link("/a")],
      }),
      "/a": page({ links: [link("/gone"), link("/dead", { kind: "script" }), link("/unread"), link("/unknown")] }),
      "/gone": broken(410),
      "/dead": broken(0),
      "/unread": { state: "unread" },
    } as const;
    expect(tellAll(site)).toEqual([
      "broken-link | / | /gone | Menu | navigation |  | status 410",
      "broken-link | / | /gone | Old | content |  | status 410",
      "broken-link | /a | /gone | Words | content |  | status 410",
    ]);
  });

  test("a link is broken if its redirects end at nothing or never", () => {
    const site = {
      "/": page({ links: [link("/moved"), link("/loop"), link("/fine")] }),
      "/moved": redirect("/gone"),
      "/gone": broken(404),
      "/loop": redirect("/pool"),
      "/pool": redirect("/loop"),
      "/fine": redirect("/"),
    };
    expect(tellAll(site).slice(0, 2)).toEqual([
      "broken-link | / | /loop | Words | content |  | redirect loop",
      "broken-link | / | /moved | Words | content |  | redirects to status 404",
    ]);
  });

  test("external links that do not exist are found", () => {
    const site = {
      "/": page({
        links: [
          link("https://a.test/x"),
          link("https://b.test/"),
          link("https://c.test/"),
          link("https://d.test/moved"),
        ],
      }),
    };
    expect(tellAll(site, { "https://a.test/x": 404, "https://b.test/": 0, "https://d.test/moved": 410 })).toEqual([
      "broken-external-link | / | https://a.test/x | Words | content |  | status 404",
      "broken-external-link | / | https://b.test/ | Words | content |  | a host name that does not exist",
      "broken-external-link | / | https://d.test/moved | Words | content |  | redirects to status 410",
    ]);
  });

  test("an HTTP link is found on an HTTPS page", () => {
    const links = [link("http://site.test/a"), link("http://names.test/", { kind: "link" })];
    expect(tellAll({ "/": page({ links }) })).toEqual(["insecure-link | / | http://site.test/a | Words | content"]);
  });

  test.each(["/b#none", "/b#Intro", "/b#t%C3%ABxt-", "/moved#none", "/#here"])("%s is a broken fragment", (url) => {
    const site = {
      "/": page({ links: [link(url)] }),
      "/b": page({ ids: ["intro", "tëxt"] }),
      "/moved": redirect("/b"),
    };
    expect(findAll(site).filter(({ kind }) => kind === "broken-fragment")).toMatchObject([
      { page: `${ORIGIN}/`, target: ORIGIN + url, text: "Words", place: "content" },
    ]);
  });

  test.each([
    "/b",
    "/b#",
    "/b#top",
    "/b#TOP",
    "/b#intro",
    "/b#t%C3%ABxt",
    "/b#intro:~:text=some",
    "/b#:~:text=some",
    "/b#/route",
    "/b#!route",
    "/b#%E0%A4%A",
    "/moved#intro",
    "/gone#x",
    "/file#page=3",
    "/plain#x",
    "/unknown#x",
    "https://else.test/#x",
  ])("%s is no broken fragment", (url) => {
    const site: Record<string, SiteRow> = {
      "/": page({ links: [link(url)] }),
      "/b": page({ ids: ["intro", "tëxt", "%E0%A4%A"] }),
      "/moved": redirect("/b"),
      "/gone": broken(404),
      "/file": { state: "document" },
      "/plain": page({ ids: null }),
    };
    expect(findAll(site).filter(({ kind }) => kind === "broken-fragment")).toEqual([]);
  });
});

test("redirects are told with each hop, and chains, loops and broken ends by name", () => {
  const site = {
    "/": page({ links: [link("/inner")] }),
    "/once": redirect("/"),
    "/twice": redirect("/once"),
    "/self": redirect("/self"),
    "/dead": redirect("/gone"),
    "/gone": broken(404),
    "/out": redirect("/unknown"),
    "/ring": redirect("/round"),
    "/round": redirect("/ring"),
    "/outer": redirect("/inner"),
    "/inner": redirect("/"),
  };
  expect(tellAll(site)).toEqual([
    "redirect-loop | /ring | /ring |  |  | /round > /ring",
    "redirect-loop | /self | /self |  |  | /self",
    "broken-redirect | /dead | /gone |  |  | /gone",
    "redirect-chain | /outer | / |  |  | /inner > /",
    "redirect-chain | /twice | / |  |  | /once > /",
    // An inner hop is told of where a page links to it.
    "redirect | /inner | / |  |  | / | linked from / and 1 more",
    "redirect | /out | /unknown |  |  | /unknown",
  ]);
});

describe("pages", () => {
  test("a page of a sitemap that only itself, a sitemap or a script links to is an orphan", () => {
    const site: Record<string, SiteRow> = {
      "/": { ...page({ links: [link("/linked"), link("/moved")] }), isInSitemap: true },
      "/sitemap.xml": {
        ...page({ links: [link("/orphan", { kind: "page" }), link("/orphan", { kind: "script" })] }),
      },
      "/orphan": { ...page({ links: [link("/orphan")] }), isInSitemap: true },
      "/linked": { ...page(), isInSitemap: true },
      "/unlisted": page(),
      "/moved": redirect("/after"),
      "/after": { ...page(), isInSitemap: true },
      "/gone": { ...broken(404), isInSitemap: true },
    };
    expect(tellAll(site)).toEqual([
      "redirect | /moved | /after |  |  | /after | linked from /",
      "orphan-page | /orphan",
    ]);
  });

  test("pages are deep by the fewest clicks, whatever their order, and a redirect is no click", () => {
    const chain = (next: string) => page({ links: [link(next)] });
    const site = {
      "/": page({ links: [link("/5"), link("/a")] }),
      "/4": chain("/3"),
      "/5": redirect("/4"),
      "/3": chain("/2"),
      "/2": chain("/1"),
      "/1": chain("/0"),
      "/0": chain("/a"),
      "/a": page(),
      "/unreachable": page(),
    };
    expect(tellAll(site)).toEqual([
      "redirect | /5 | /4 |  |  | /4 | linked from /",
      "deep-page | /0 |  |  |  |  | 5 clicks",
    ]);
  });

  test("an island is not reached, whatever links its pages have", () => {
    const site: Record<string, SiteRow> = {
      "/": page({ links: [link("/a")] }),
      "/a": page(),
      "/island": { ...page({ links: [link("/isle"), link("/a")] }), isInSitemap: true },
      "/isle": { ...page({ links: [link("/island")] }), isInSitemap: true },
      "/beach": { ...page({ links: [link("/island")] }), isInSitemap: true },
    };
    expect(tellAll(site)).toEqual(["orphan-page | /beach", "unreachable-page | /island", "unreachable-page | /isle"]);
  });

  test("the links of a page that is not kept are checked, and what it says of itself is not", () => {
    const links = [link("/gone"), link("/#none"), link("/gone", { kind: "page" })];
    const site: Record<string, SiteRow> = {
      "/": page(),
      "/hidden": { ...page({ title: null, description: null, links }), state: "document" },
      "/gone": broken(404),
    };
    expect(tellAll(site)).toEqual([
      "broken-link | /hidden | /gone | Words | content |  | status 404",
      "broken-fragment | /hidden | /#none | Words | content",
    ]);
  });

  test("slow, large and thin pages and soft 404s are found beyond their limits", () => {
    const site: Record<string, SiteRow> = {
      "/": { ...page(), durationMs: 3_000, bytes: 2_000_000, words: 200 },
      "/slow": { ...page(), durationMs: 3_100 },
      "/large": { ...page(), bytes: 2_500_000 },
      "/thin": { ...page(), words: 12 },
      "/app": { ...page(), words: 0, shell: "its <div> is empty" },
      "/unmeasured": { ...page(), durationMs: null, bytes: null, words: null },
      "/soft": { ...broken(200), isSoft404: true },
      "/image": { state: "document", words: 0, bytes: 9e6, durationMs: 9_000 },
    };
    expect(tellAll(site)).toEqual([
      "soft-404 | /soft",
      "thin-page | /thin |  |  |  |  | 12 words",
      "scripts-needed | /app |  |  |  |  | its <div> is empty",
      "slow-page | /slow |  |  |  |  | 3.1 s",
      "large-page | /large |  |  |  |  | 2.5 MB",
    ]);
  });
});

test("a page is slow or heavy beside its site: its 95th percentile, and four times its median", () => {
  const numbers = (usual: number, count: number, ...others: number[]) =>
    Uint32Array.from([...Array.from({ length: count }, () => usual), ...others]);
  const limits = limitsOf(numbers(200, 40, 1_900), numbers(100_000, 40, 900_000));
  expect(limits).toMatchObject({ durationMs: 1_000, bytes: 500_000, medianMs: 200, medianBytes: 100_000 });
  expect(limitsOf(numbers(600, 40, 1_900), numbers(300_000, 40))).toMatchObject({
    durationMs: 2_400,
    bytes: 1_200_000,
  });
  // A few pages do not say what is usual, and what is slow everywhere is slow.
  expect(limitsOf(numbers(200, 5), numbers(9_000, 5))).toMatchObject({ durationMs: 3_000, bytes: 2_000_000 });
  expect(limitsOf(numbers(9_000, 40), numbers(9e6, 40))).toMatchObject({ durationMs: 3_000, bytes: 2_000_000 });
});

test("what a sitemap lists can be read, may be indexed, is canonical and whole", () => {
  const site: Record<string, SiteRow> = {
    "/": { ...page(), isListed: true },
    "/gone": { ...broken(404), isListed: true },
    "/moved": { ...redirect("/"), isListed: true },
    "/hidden": { state: "noindex", isNoindex: true, detail: "meta robots", isListed: true },
    "/kept-out": { state: "unread", isRobots: true, isListed: true },
    "/copy": { ...page({ canonical: `${ORIGIN}/` }), isListed: true },
    "/left-out": page(),
    "/other-copy": page({ canonical: `${ORIGIN}/` }),
    "/unlisted": { state: "noindex", isNoindex: true },
  };
  expect(tellAll(site).filter((line) => line.startsWith("sitemap") || line.includes("-page"))).toEqual([
    "sitemap-broken | /gone |  |  |  |  | status 404",
    "sitemap-redirect | /moved | /",
    "sitemap-noindex | /hidden |  |  |  |  | noindex",
    "sitemap-noindex | /kept-out |  |  |  |  | robots.txt",
    "sitemap-not-canonical | /copy | /",
    "sitemap-missing | /left-out",
    "noindex-page | /hidden |  |  |  |  | meta robots",
    "noindex-page | /unlisted",
    "robots-page | /kept-out",
  ]);
  const rows = Object.entries(site).map(([path, { isListed: _, ...row }]) => [path, row]);
  expect(tellAll(Object.fromEntries(rows)).filter((line) => line.startsWith("sitemap"))).toEqual([]);
});

test("files that a page loads are broken by the crawl's rows or by what an analysis was answered", () => {
  const load = (...urls: string[]) =>
    page({
      audit: {
        firstHeading: "Title",
        resources: urls.map((url) => ({ url: new URL(url, ORIGIN).href, kind: "image" as const })),
      },
    });
  const site = {
    "/": load("/gone.png", "/moved.png", "/fine.png", "/asked.png", "/unasked.png", "http://cdn.test/x.png"),
    "/gone.png": broken(404),
    "/moved.png": redirect("/gone.png"),
    "/fine.png": { state: "document" },
  } as const;
  expect(tellAll(site, { [`${ORIGIN}/asked.png`]: 404 })).toEqual([
    "broken-resource | / | /asked.png | image |  |  | status 404",
    "broken-resource | / | /gone.png | image |  |  | status 404",
    "broken-resource | / | /moved.png | image |  |  | redirects to status 404",
    "mixed-content | / | http://cdn.test/x.png | image",
    "broken-redirect | /moved.png | /gone.png |  |  | /gone.png",
  ]);
});

test.each(["here", "Click here", "HERE!", "Read more…", "more »", "hier", "En savoir plus", "こちら"])(
  "“%s” says nothing of its target",
  (text) => expect(tellAll({ "/": page({ links: [link("/", { text })] }) })).toHaveLength(1),
);
test.each(["Here be dragons", "The report", "", "Moreover", "More about webs"])("“%s” is a link text", (text) =>
  expect(tellAll({ "/": page({ links: [link("/", { text })] }) })).toEqual([]),
);

describe("what a page says about itself", () => {
  test("headings are missing, empty, several, long and shared; images have no alt", () => {
    const site = {
      "/": page({ audit: { firstHeading: "Home" } }),
      "/none": page({ audit: { headings: 0 } }),
      "/empty": page({ audit: { headings: 1 } }),
      "/two": page({ audit: { headings: 2, firstHeading: "Two" } }),
      "/a": page({ audit: { firstHeading: "Same" } }),
      "/b": page({ audit: { firstHeading: "Same" } }),
      "/copy": page({ canonical: `${ORIGIN}/a`, audit: { headings: 0 } }),
      "/long": page({ audit: { firstHeading: "x".repeat(71) } }),
      "/fit": page({ audit: { firstHeading: "x".repeat(70) } }),
      "/images": page({
        audit: { firstHeading: "Images", unlabelled: 3, unlabelledExamples: [`${ORIGIN}/a.png`] },
      }),
      "/unknown": page(),
    };
    expect(tellAll(site)).toEqual([
      "h1-missing | /empty |  |  |  |  | it is empty",
      "h1-missing | /none",
      "h1-multiple | /two |  |  |  |  | 2 of them",
      "h1-duplicate | /a |  | Same",
      "h1-duplicate | /b |  | Same",
      `h1-long | /long |  | ${"x".repeat(71)} |  |  | 71 characters`,
      "image-alt-missing | /images |  |  |  |  | 3 images, such as /a.png",
    ]);
  });

  test("titles and descriptions are long by the width of their letters", () => {
    const site = {
      "/i": page({ title: "i".repeat(120), description: "l".repeat(310) }),
      "/w": page({ title: "W".repeat(31), description: "W".repeat(80) }),
      "/漢": page({ title: "漢".repeat(29) }),
      "/plain": page({ title: "A plain title of some sixty characters is shown as it stands" }),
    };
    expect(findAll(site).map(({ kind, page: at }) => `${kind} ${decodeURI(at.slice(ORIGIN.length))}`)).toEqual([
      "title-long /w",
      "title-long /漢",
      "description-long /w",
    ]);
  });

  test("canonicals conflict, name each other, are kept out, or are of another site", () => {
    const site: Record<string, SiteRow> = {
      "/two": page({ canonical: `${ORIGIN}/two`, audit: { firstHeading: "Two", canonicals: 2 } }),
      "/a": page({ canonical: `${ORIGIN}/b` }),
      "/b": page({ canonical: `${ORIGIN}/a` }),
      "/c": page({ canonical: `${ORIGIN}/hidden` }),
      "/d": page({ canonical: "https://else.test/d" }),
      "/hidden": { state: "noindex", isNoindex: true },
    };
    expect(tellAll(site)).toEqual([
      "noindex-page | /hidden",
      "canonical-multiple | /two |  |  |  |  | 2 of them",
      "canonical-noindex | /c | /hidden",
      "canonical-loop | /b | /a",
      "canonical-loop | /a | /b",
      "canonical-external | /d | https://else.test/d",
    ]);
  });

  test("missing and shared titles and descriptions are found, but not of a page that names another one", () => {
    const site = {
      "/": page({ title: " ", description: null }),
      "/a": page({ title: "Same", description: "Both" }),
      "/b": page({ title: " Same ", description: "Both", canonical: `${ORIGIN}/b` }),
      "/print": page({ title: "Same", canonical: `${ORIGIN}/a` }),
      "/c": page({ title: "Other" }),
      "/d": page({ title: "Other", canonical: `${ORIGIN}/c` }),
    };
    expect(tellAll(site)).toEqual([
      "title-missing | /",
      "title-duplicate | /a |  | Same",
      "title-duplicate | /b |  | Same",
      "description-missing | /",
      "description-duplicate | /a |  | Both",
      "description-duplicate | /b |  | Both",
    ]);
  });

  test("a canonical page that is broken, redirects or names another one contradicts", () => {
    const to = (path: string) => page({ canonical: ORIGIN + path });
    const site = {
      "/": to("/"),
      "/a": to("/gone"),
      "/b": to("/moved"),
      "/c": to("/d"),
      "/d": to("/"),
      "/e": to("/unread"),
      "/f": to("/unknown"),
      "/gone": broken(404),
      "/moved": redirect("/"),
      "/unread": {},
    };
    expect(tellAll(site)).toEqual([
      "redirect | /moved | / |  |  | /",
      "canonical-broken | /a | /gone |  |  |  | status 404",
      "canonical-redirect | /b | /moved",
      "canonical-chain | /c | /d",
    ]);
  });

  test("a broken canonical or alternate is one finding, and no broken link beside", () => {
    const [canonical, language] = [`${ORIGIN}/gone`, `${ORIGIN}/gone-too`];
    const links = [link(canonical, { kind: "link" }), link(language, { kind: "link" })];
    const head = { links, canonical, alternates: [{ url: language, language: "de" }] };
    const gone = { state: "broken", httpStatus: 404 } as const;
    expect(tellAll({ "/": page(head), "/gone": gone, "/gone-too": gone })).toEqual([
      "canonical-broken | / | /gone |  |  |  | status 404",
      "hreflang-broken | / | /gone-too | de |  |  | status 404",
    ]);
    // Of a page with noindex neither is judged, so its links tell.
    const kinds = findAll({ "/": { ...page(head), state: "noindex" }, "/gone": gone, "/gone-too": gone });
    expect(kinds.map(({ kind }) => kind)).toEqual(["broken-link", "broken-link"]);
  });

  test("an alternate language that is broken, does not link back or is not canonical contradicts", () => {
    const to = (...paths: string[]) => ({
      alternates: paths.map((path) => ({ url: ORIGIN + path, language: path.slice(1) || "en" })),
    });
    const site = {
      "/": page(to("/", "/de", "/fr", "/it", "/gone", "/moved", "/unknown")),
      "/de": page(to("/", "/de")),
      "/fr": page(to("/fr")),
      "/it": page({ ...to("/"), canonical: `${ORIGIN}/de` }),
      "/gone": broken(404),
      "/moved": redirect("/de"),
    };
    expect(tellAll(site)).toEqual([
      "redirect | /moved | /de |  |  | /de",
      // A redirect leads there, and nothing to the redirect.
      "unreachable-page | /de",
      "hreflang-broken | / | /gone | gone |  |  | status 404",
      "hreflang-broken | / | /moved | moved |  |  | status 301",
      "hreflang-no-return | / | /fr | fr",
      "hreflang-not-canonical | / | /it | it",
    ]);
  });
});
