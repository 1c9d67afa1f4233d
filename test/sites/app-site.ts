import { type Site, startSite } from "./site.ts";

/**
 * A site that is one application: routes of the history behind links and behind listeners, lists that grow by scrolling
 * and by a button, everything read by requests, and a banner that covers it.
 */

const ENTRIES = { news: 10, archive: 7, shop: 5 } as const;
type List = keyof typeof ENTRIES;
const PER_REQUEST = { news: 4, archive: 3, shop: 2 } as const;
/** Routes that only listeners open: `team` by pushState, `jobs` by an address that the script sets. */
const HIDDEN = ["/team", "/jobs", "/press"];

/** Every page of the site. */
export const PAGES = [
  "/",
  "/about",
  "/news",
  "/archive",
  "/shop",
  ...HIDDEN,
  ...Object.entries(ENTRIES).flatMap(([list, n]) => Array.from({ length: n }, (_, i) => `/${list}/${i + 1}`)),
];

export function titleOf(path: string): string {
  return `Page ${path}`;
}

/** As long as a text that is worth a browser. */
function textOf(path: string): string {
  return `What ${path} says can be read by those who run its scripts. Nobody else sees a word of it, because the server sends the same empty page for each address, and only a request for data brings this text.`;
}

const SHELL =
  '<!doctype html><html><head><title>Loading</title></head><body><div id="root"></div><script src="/app.js"></script></body></html>';

const APP = `
// A page may spoil its own world, but not what the browser is told to do.
HTMLElement.prototype.click = () => undefined;
Document.prototype.querySelectorAll = () => [];
globalThis.requestAnimationFrame = () => 0;
const root = document.getElementById("root");
const get = async (path) => (await fetch(path)).json();
const element = (name, fields, ...children) => {
  const made = Object.assign(document.createElement(name), fields);
  made.append(...children);
  return made;
};
const go = (path) => { history.pushState(null, "", path); draw(); };
const link = (path) => element("a", { href: path, onclick: (event) => { event.preventDefault(); go(path); } }, path);
const button = (text, onclick) => {
  const made = element("div", { onclick, textContent: text });
  made.setAttribute("role", "link");
  return made;
};
const rows = async (list, box, from) => {
  const { entries, more } = await get("/api/list/" + list + "?from=" + from);
  for (const path of entries) {
    const row = element("p", {}, link(path));
    row.style.height = "400px";
    box.append(row);
  }
  return more;
};
const lists = {
  // Grows when its end comes into sight.
  news: async (box) => {
    let next = await rows("news", box, 0);
    const end = element("div", { id: "end", textContent: "..." });
    root.append(end);
    let isBusy = false;
    new IntersectionObserver(async ([seen]) => {
      if (!seen.isIntersecting || isBusy || next === null) return;
      isBusy = true;
      next = await rows("news", box, next);
      isBusy = false;
      if (next === null) end.remove();
    }).observe(end);
  },
  // Grows by a button, which goes with the last entries.
  archive: async (box) => {
    let next = await rows("archive", box, 0);
    const more = element("button", { className: "more", textContent: "Show more", onclick: async () => {
      next = await rows("archive", box, next);
      if (next === null) more.remove();
    } });
    root.append(more);
  },
  // Shows two entries at a time, and forgets the others.
  shop: async (box) => {
    let next = await rows("shop", box, 0);
    root.append(element("button", { className: "more", textContent: "Next two", onclick: async () => {
      if (next === null) return;
      box.textContent = "";
      next = await rows("shop", box, next);
    } }));
  },
};
async function draw() {
  const path = location.pathname;
  const { title, text, links } = await get("/api/page" + path);
  document.title = title;
  root.textContent = "";
  root.append(element("h1", { textContent: title }), element("p", { textContent: text }), ...links.map(link));
  if (path === "/") root.append(
    button("Read more", () => go("/team")),
    button("Read more", () => { location.href = "/jobs"; }),
    button("Read more", () => go("/press")),
  );
  const list = lists[path.slice(1)];
  if (list === undefined) return;
  const box = element("div", {});
  root.append(box);
  await list(box);
}
addEventListener("popstate", draw);
draw();
const banner = element("div", { id: "onetrust-banner-sdk" }, element("button", { id: "onetrust-reject-all-handler",
  textContent: "Reject all", onclick: () => { banner.remove(); } }), "We value your privacy in the banner.");
document.body.append(banner);`;

export async function startAppSite(): Promise<Site> {
  return startSite((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://site");
    const json = (value: unknown) =>
      void response.setHeader("content-type", "application/json").end(JSON.stringify(value));
    if (pathname === "/app.js") return void response.setHeader("content-type", "text/javascript").end(APP);
    const [, list = ""] = /^\/api\/list\/(\w+)$/.exec(pathname) ?? [];
    if (list in ENTRIES) return json(entriesOf(list as List, Number(searchParams.get("from"))));
    if (pathname.startsWith("/api/page")) {
      const path = pathname.slice("/api/page".length);
      const links = path === "/" ? ["/about", "/news", "/archive", "/shop"] : [];
      return json({ title: titleOf(path), text: textOf(path), links });
    }
    if (!PAGES.includes(pathname)) return void response.writeHead(404).end();
    response.setHeader("content-type", "text/html").end(SHELL);
  });
}

function entriesOf(list: List, from: number): { entries: string[]; more: number | null } {
  const to = Math.min(from + PER_REQUEST[list], ENTRIES[list]);
  const entries = Array.from({ length: to - from }, (_, i) => `/${list}/${from + i + 1}`);
  return { entries, more: to < ENTRIES[list] ? to : null };
}
