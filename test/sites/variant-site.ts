/**
 * Sites whose pages have many URLs each: sorts, print views, sessions and tracking, beside parameters that do matter.
 */
import { type Site, type SiteOptions, startSite } from "./site.ts";

export interface VariantSite {
  name: string;
  /** Parameters that change nothing, with the values with which each page is linked. */
  idle: Record<string, string[]>;
  /** Parameters that select content. */
  live: Record<string, string[]>;
  /** Each page has the path `/print/PATH` too. */
  printPath?: boolean;
  /** Every link has one of these sessions, drawn for each answer. */
  session?: { kind: "query" | "path"; ids: string[] };
  /** `numbers`: each answer has a counter and a time. */
  noise?: "numbers";
  /** URLs with an idle parameter redirect to the one without. */
  redirects?: boolean;
  /** Blocks of the page in another order, by the value of this parameter. */
  sorts?: string;
  folders: string[];
  /** In each folder. */
  pages: number;
}

const SESSIONS = ["k3f9a1c7", "p8d2e5b4", "z1c6f0a9", "m7b3d8e2", "t5a9c2f1", "w4e8b6d3"];
const base = { idle: {}, live: {}, folders: ["shop"], pages: 100 };

export const VARIANT_SITES: readonly VariantSite[] = [
  { ...base, name: "sorts", idle: { sort: ["price", "name", "date", "rating", "sales"] }, sorts: "sort" },
  {
    ...base,
    name: "sorts in two parameters",
    idle: { sort: ["price", "name"], order: ["asc", "desc"] },
    sorts: "sort",
  },
  {
    ...base,
    name: "sorts beside filters",
    idle: { sort: ["price", "name", "date"] },
    live: { color: ["red", "blue"] },
    sorts: "sort",
  },
  { ...base, name: "print parameter", idle: { print: ["1"], layout: ["wide", "narrow"] } },
  { ...base, name: "print path", printPath: true, idle: { ref: ["nav", "foot"] } },
  { ...base, name: "print path and sorts", printPath: true, idle: { sort: ["up", "down"] }, sorts: "sort" },
  { ...base, name: "sessions", session: { kind: "query", ids: SESSIONS } },
  {
    ...base,
    name: "sessions and sorts",
    session: { kind: "query", ids: SESSIONS.slice(0, 3) },
    idle: { sort: ["up", "down"] },
  },
  { ...base, name: "sessions in the path", session: { kind: "path", ids: SESSIONS } },
  { ...base, name: "sessions and counters", session: { kind: "query", ids: SESSIONS }, noise: "numbers" },
  { ...base, name: "tracking", idle: { ref: ["nav", "foot", "side", "mail", "home"], campaign: ["a", "b"] } },
  { ...base, name: "tracking and counters", idle: { ref: ["nav", "foot", "side", "mail"] }, noise: "numbers" },
  { ...base, name: "redirects", idle: { share: ["fb", "tw", "mail"], printer: ["1", "0"] }, redirects: true },
  {
    ...base,
    name: "views in one folder",
    folders: ["docs"],
    idle: { view: ["list", "grid", "table"], theme: ["dark", "light"] },
  },
  {
    ...base,
    name: "sorts and counters",
    idle: { sort: ["price", "name", "date", "rating"] },
    sorts: "sort",
    noise: "numbers",
  },
  { ...base, name: "filters", live: { color: ["red", "blue", "green"] } },
  { ...base, name: "pages of lists", live: { page: ["2", "3"], size: ["s", "l"] } },
  { ...base, name: "languages", live: { lang: ["de", "fr"] }, idle: { ref: ["nav", "foot", "side"] } },
  { ...base, name: "variants of goods and counters", live: { variant: ["x", "y"] }, noise: "numbers" },
  {
    ...base,
    name: "everything",
    idle: { sort: ["up", "down"], print: ["1"], ref: ["nav", "foot"] },
    live: { variant: ["x"] },
    sorts: "sort",
  },
];

/** The page that a URL shows; the same for all its URLs. Null if there is none. */
export function pageOf(site: VariantSite, target: string): string | null {
  const { pathname, searchParams } = new URL(target, "http://x");
  const path = plainPath(site, pathname);
  if (path === null) return null;
  const own = Object.keys(site.live).flatMap((name) => {
    const value = searchParams.get(name);
    return value === null ? [] : [`${name}=${value}`];
  });
  return own.length === 0 ? path : `${path}?${own.join("&")}`;
}

/** One server for all sites: site `i` has the address 127.0.7.(i + 1). */
export async function startVariantSites(sites: readonly VariantSite[], options: SiteOptions = {}): Promise<Site> {
  let visits = 0;
  return startSite((request, response) => {
    const [host = ""] = (request.headers.host ?? "").split(":");
    const site = sites[Number(host.split(".")[3]) - 1];
    const target = request.url ?? "/";
    const page = site === undefined ? null : pageOf(site, target);
    if (site === undefined || page === null) return void response.writeHead(404).end();
    visits += 1;
    const { searchParams, pathname } = new URL(target, "http://x");
    const idle = Object.keys(site.idle).find((name) => searchParams.has(name));
    if (site.redirects && idle !== undefined) return void response.writeHead(302, { location: page }).end();
    const order = site.sorts === undefined ? null : searchParams.get(site.sorts);
    response.writeHead(200, { "content-type": "text/html" }).end(html(site, page, pathname, order, visits));
  }, options);
}

function plainPath(site: VariantSite, pathname: string): string | null {
  const path = pathname.replace(/;zs=\w+/, "");
  const plain = site.printPath ? path.replace("/print/", "/") : path;
  if (plain === "/") return plain;
  const [, folder = "", name = ""] = /^\/(\w+)\/item-(\w+)$/.exec(plain) ?? [];
  const isPage = site.folders.includes(folder) && Number.parseInt(name, 36) < site.pages;
  return isPage ? plain : null;
}

function html(site: VariantSite, page: string, pathname: string, order: string | null, visits: number): string {
  const [path = "/"] = page.split("?");
  const number = path === "/" ? -1 : Number.parseInt(path.slice(path.lastIndexOf("-") + 1), 36);
  const paths = site.folders.flatMap((folder) =>
    [1, 2, 7].map((step) => itemPath(folder, (number + step) % site.pages)),
  );
  const session = site.session?.ids[visits % site.session.ids.length];
  const links = paths.flatMap((to) => variantsOf(site, to)).map((to) => withSession(site, to, session));
  const facts = Array.from({ length: 8 }, (_, i) => `<li>${sentence(`${page} fact ${i}`)}</li>`);
  // A sort changes the order, and each value another one.
  const sorted = order === null ? facts : facts.toSorted((a, b) => (a.length % 7) - (b.length % 7) || (a < b ? 1 : -1));
  const noise =
    site.noise === undefined
      ? ""
      : `<p>This page was seen ${visits * 7} times, and made in ${visits % 90} ms at 12:${10 + (visits % 50)}.</p>`;
  return `<!doctype html><title>${page}</title><body><nav>${anchors(links)}</nav><main><h1>Page ${page}</h1>
<p>${sentence(page)} ${sentence(`${page} more`)} ${sentence(`${page} most`)}</p><ul>${sorted.join("")}</ul>${noise}</main>
<footer>${pathname.length > 0 ? "All about these pages" : ""}</footer></body>`;
}

function itemPath(folder: string, i: number): string {
  return `/${folder}/item-${i.toString(36)}`;
}

/** All URLs of a page that its site links to. */
function variantsOf(site: VariantSite, path: string): string[] {
  const all = [...Object.entries(site.idle), ...Object.entries(site.live)];
  const [, folder = "", rest = ""] = path.split("/");
  return [
    path,
    ...(site.printPath ? [`/${folder}/print/${rest}`] : []),
    ...all.flatMap(([name, values]) => values.map((value) => `${path}?${name}=${value}`)),
  ];
}

function withSession({ session }: VariantSite, to: string, id: string | undefined): string {
  if (session === undefined) return to;
  if (session.kind === "path") return `${to};zs=${id}`;
  return `${to}${to.includes("?") ? "&" : "?"}zs=${id}`;
}

function anchors(links: readonly string[]): string {
  return links.map((link) => `<a href="${link.replaceAll("&", "&amp;")}">${link.length}</a>`).join(" ");
}

const WORDS =
  "river stone window garden market winter silver morning paper bridge forest candle harbour music letter".split(" ");

/** Twelve words that follow from the seed. */
function sentence(seed: string): string {
  let state = 2166136261;
  const next = (): number => {
    for (const char of seed) state = Math.imul(state ^ char.charCodeAt(0), 16777619) >>> 0;
    return state >>> 7;
  };
  return `${Array.from({ length: 12 }, () => WORDS[next() % WORDS.length]).join(" ")}.`;
}
