/** URLs of generated sites, as their makers would divide them. */

const ORIGIN = "https://site.test";
const WORDS =
  "amber birch cedar dune ember fjord grove heath islet juniper kelp larch moss nettle oak pine quartz reed sage thyme umber vale willow yarrow zephyr".split(
    " ",
  );

/** Titles as they stand in addresses. Some begin with the same word. */
export const slugs = (count: number, salt = 0): string[] =>
  Array.from({ length: count }, (_, i) => {
    const word = (at: number) => WORDS[at % WORDS.length];
    return `${i % 6 === 0 ? "the-" : ""}${word(i + salt)}-${word(i * 7 + salt)}-${word(Math.floor(i / 25) + i)}`;
  });

export const at = (paths: string[]): string[] => paths.map((path) => ORIGIN + path);
const dates = (count: number) =>
  Array.from(
    { length: count },
    (_, i) => `${2019 + (i % 5)}/${String(1 + (i % 12)).padStart(2, "0")}/${String(1 + (i % 28)).padStart(2, "0")}`,
  );

/** A shop with a blog. */
export const SHOP = at([
  "/",
  ...["/about", "/contact", "/imprint", "/shipping"],
  ...slugs(60).map((slug) => `/product/${slug}`),
  ...["tools", "garden", "kitchen", "books", "toys", "music"].flatMap((each) => [
    `/category/${each}`,
    ...[2, 3, 4].map((page) => `/category/${each}?page=${page}`),
  ]),
  ...dates(40).map((date, i) => `/blog/${date}/${slugs(40, 3)[i]}`),
  "/blog/",
  ...WORDS.slice(0, 12).map((tag) => `/tag/${tag}/`),
  ...["ada", "grace", "alan", "edsger", "barbara"].map((name) => `/author/${name}`),
]);

/** A forum: threads of several pages in boards, users with the same parts, and attachments by id. */
export const FORUM = at([
  "/",
  ...["news", "help", "off-topic"].flatMap((board) => [
    `/board/${board}/`,
    ...slugs(20, board.length).flatMap((slug, i) => [
      `/board/${board}/${1000 + i}-${slug}/`,
      `/board/${board}/${1000 + i}-${slug}/page-2`,
    ]),
  ]),
  ...slugs(15, 9).flatMap((name) =>
    ["", "posts", "about", "likes", "groups"].map((part) => `/members/${name}/${part}`),
  ),
  ...Array.from(
    { length: 12 },
    (_, i) => `/attachments/${(0x9e3779b97f4a7c15n * BigInt(i + 1)).toString(16).padStart(24, "0").slice(0, 24)}`,
  ),
]);

/** Documentation in versions and languages. */
export const DOCUMENTATION = at([
  "/",
  ...["v1.0", "v1.1", "v2.0", "v2.1"].flatMap((version) =>
    ["guide", "api"].flatMap((part) => slugs(12, part.length).map((page) => `/docs/${version}/${part}/${page}.html`)),
  ),
  ...["en", "de", "fr", "ja", "es", "pl"].flatMap((language) =>
    ["", "install", "pricing", "team", "press"].map((page) => `/${language}/${page}`),
  ),
]);
