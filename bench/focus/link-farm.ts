/**
 * A link farm: pages on two hosts that repeat the words of a subject, link to each other, and are linked from a
 * hundredth of the other pages with the subject's words as anchor text.
 */
import { Dice } from "./random.ts";
import type { Subject } from "./subjects.ts";
import type { WebLink, WebPage } from "./web.ts";

const PAGES = 600;
const HOSTS = ["farm0.example", "farm1.example"];
const LINKS = 20;
/** The share of a page's words that are the subject's. */
const STUFFED = 0.3;
const WORDS = 300;
/** One page in so many links to the farm. */
const LINKED_FROM = 100;

/** The web with a farm for one subject. Its words, and those of real pages beside them, are told by `subject`. */
export function withFarm(web: readonly WebPage[], subject: Subject): WebPage[] {
  const dice = new Dice(7);
  const words = subject.words.split(" ");
  const texts = web.filter(({ manual }) => manual !== "home");
  const title = () => `${subject.words} ${dice.one(words)} ${dice.below(1_000)}`;
  const farm = Array.from({ length: PAGES }, (_, i): WebPage => {
    const host = HOSTS[i % HOSTS.length] ?? "";
    const others = dice.one(texts).text.split(/\s+/);
    const text = Array.from({ length: WORDS }, (_, k) =>
      dice.next() < STUFFED ? dice.one(words) : others[k % others.length],
    );
    const url = `https://${host}/${encodeURIComponent(words.join("-").toLowerCase())}-${i}`;
    return { url, host, title: title(), text: text.join(" "), links: [], manual: "", path: "" };
  });
  for (const page of farm)
    page.links = Array.from({ length: LINKS }, () => toFarm(web.length + dice.below(PAGES), subject.words));
  const linking = web.map((page, i) =>
    i % LINKED_FROM === 0
      ? { ...page, links: [...page.links, toFarm(web.length + dice.below(PAGES), subject.words)] }
      : page,
  );
  return [...linking, ...farm];
}

function toFarm(target: number, words: string): WebLink {
  return { target, text: words, around: `${words}: the best of ${words}` };
}
