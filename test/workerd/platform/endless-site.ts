import type { Random } from "./random.ts";
import type { Answer } from "./web.ts";

/**
 * A site whose pages lead to ever more of one pattern: a trap, whose pages say nothing but what their URLs say, or a
 * catalogue, whose products differ in digits alone. Honest pages stand beside it. Its pages may also say what changes
 * at each request.
 */

const HOST = "https://h0.test";
/**
 * More than slow a pattern (QUIET_PAGES of scope/endless-groups.ts, and WATCHED_FROM of
 * features/endless-groups/group-counts.ts).
 */
const PRODUCTS = 290;
const PATHS: ((n: number) => string)[] = [(n) => `/list?page=${n}`, (n) => `/list/${n}`, (n) => `/v/k${n}x/list.html`];

export interface EndlessSite {
  isTrap: boolean;
  /** The URLs that must be fetched, whatever is held back. */
  honest: string[];
  web(url: string): Answer;
}

export function drawEndlessSite(random: Random): EndlessSite {
  const isTrap = random.chance(0.6);
  const isNoisy = random.chance(0.5);
  const path = random.oneOf(PATHS);
  const fan = random.between(2, 5);
  const stories = Array.from({ length: random.between(5, 25) }, (_, i) => `${HOST}/story-${wordOf(i)}`);
  const weightOf = (n: number) => 1_000 + ((n * 7_919) % 90_000);
  let requests = 0;
  const pageOf = (n: number) => `${HOST}${path(n)}`;
  const web = (url: string): Answer => {
    if (url.endsWith("/robots.txt") || url.endsWith("/sitemap.xml")) return { kind: "status", status: 404 };
    requests += 1;
    const noise = isNoisy ? `¶Made in 0.${1_000 + ((requests * 331) % 9_000)} s¶Visitor ${requests}` : "";
    // What follows the first line is no text, so that no page is a copy of another one.
    const say = (links: string[], words: string): Answer => {
      return { kind: "page", links, body: `${words}${noise}\n${url}` };
    };
    const story = stories.indexOf(url);
    const next = stories.slice(story + 1, story + 2);
    if (url === `${HOST}/` || story !== -1) return say([...next, pageOf(0)], `Story ${wordOf(story + 1)} is told here`);
    const n = Number(/\d+/.exec(url.slice(HOST.length))?.[0] ?? 0);
    const all = Array.from({ length: fan }, (_, k) => fan * n + k + 1);
    const links = all.filter((to) => isTrap || to < PRODUCTS).map(pageOf);
    return say(links, isTrap ? `List ${n}¶choose a filter` : `Screw¶Weight ${weightOf(n)} mg`);
  };
  const products = isTrap ? [] : Array.from({ length: PRODUCTS }, (_, n) => pageOf(n));
  return { isTrap, honest: [...stories, ...products], web };
}

function wordOf(n: number): string {
  return String.fromCharCode(97 + Math.floor(n / 26), 97 + (n % 26)).repeat(2);
}
