/**
 * A web of 40 hosts whose texts are those of manuals, cut and spread. A manual is mostly on few hosts, and a quarter of
 * it is anywhere. Half of a page's links stay on its subject; the others mostly stay on its host. Few lead to far
 * hosts.
 */
import { cutManual, type Piece } from "./cut-pages.ts";
import type { Manual } from "./manuals.ts";
import { Dice } from "./random.ts";
import type { Subject } from "./subjects.ts";
import type { WebLink, WebPage } from "./web.ts";

const PAGES = 20_000;
const HOSTS = 40;
/** Pages of a manual of which no subject is made, at most. */
const MAX_FILLER = 900;
/** The share of a manual's pages on its own hosts. */
const AT_HOME = 0.75;
/** Hosts that a host's links lead to. */
const FRIENDS = 3;
/** Links of a host's home page: to pages of the host, and to other hosts. */
const [HOME_LINKS, HOME_FRIENDS] = [60, 5];
const [MIN_LINKS, MAX_LINKS] = [6, 18];
const GENERIC = ["next", "more", "here", "see also", "read on", "link", "»", "details"];
/** The share of anchors that say nothing. */
const GENERIC_ANCHORS = 0.25;

export function makeWeb(manuals: readonly (Manual & { path: string })[], subjects: readonly Subject[]): WebPage[] {
  const dice = new Dice(19);
  const groups = groupPieces(cutAll(manuals, subjects, dice), subjects);
  const hosts = Array.from({ length: HOSTS }, (_, i) => `host${i}.example`);
  const pages = hosts.map(homeOf);
  const members: number[][] = [];
  for (const group of groups) {
    const homes = dice.some(hosts, 1 + Math.floor(Math.sqrt(group.length / 150)));
    members.push(
      group.map((piece) => {
        const host = dice.next() < AT_HOME ? dice.one(homes) : dice.one(hosts);
        pages.push({ ...piece, host, url: urlOf(host, piece, pages.length), links: [] });
        return pages.length - 1;
      }),
    );
  }
  addLinks(pages, members, hosts, dice);
  return pages;
}

function homeOf(host: string): WebPage {
  return {
    url: `https://${host}/`,
    host,
    title: host,
    text: `Welcome to ${host}.`,
    links: [],
    manual: "home",
    path: "",
  };
}

/** As many pages of each subject as it says; the other manuals fill the rest. */
function cutAll(manuals: readonly (Manual & { path: string })[], subjects: readonly Subject[], dice: Dice): Piece[] {
  const cut = manuals.flatMap((manual) => cutManual(manual, 6_000));
  const chosen: Piece[] = [];
  const isOnSubject = new Set<Piece>();
  for (const subject of subjects) {
    const about = cut.filter((piece) => subject.isAbout(piece));
    for (const piece of about) isOnSubject.add(piece);
    chosen.push(...inOrder(dice, about, subject.pages));
  }
  const others = cut.filter((piece) => !isOnSubject.has(piece));
  const filler = [...Map.groupBy(others, ({ manual }) => manual).values()].flatMap((of) =>
    inOrder(dice, of, MAX_FILLER),
  );
  return [...chosen, ...inOrder(dice, filler, PAGES - HOSTS - chosen.length)];
}

/** A run of files of random length and place is left whole: neighbours link to each other. */
function inOrder(dice: Dice, pieces: readonly Piece[], count: number): Piece[] {
  const kept = new Set(dice.some([...pieces.keys()], count));
  return pieces.filter((_, i) => kept.has(i));
}

/** Pages that belong together: those of a subject, and the rest of each manual. */
function groupPieces(pieces: readonly Piece[], subjects: readonly Subject[]): Piece[][] {
  const keyOf = (piece: Piece) => subjects.find((subject) => subject.isAbout(piece))?.name ?? piece.manual;
  return [...Map.groupBy(pieces, keyOf).values()];
}

function urlOf(host: string, { title }: Piece, nth: number): string {
  // Every second host has numbers for names.
  const isNamed = Number(/\d+/.exec(host)?.[0]) % 2 === 0;
  const slug = encodeURIComponent(
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .slice(0, 40),
  );
  return isNamed ? `https://${host}/docs/${slug}-${nth}.html` : `https://${host}/p/${nth}`;
}

function addLinks(pages: WebPage[], members: readonly number[][], hosts: readonly string[], dice: Dice): void {
  const onHost = new Map(hosts.map((host) => [host, [...pages.keys()].filter((i) => pages[i]?.host === host)]));
  const friends = new Map(hosts.map((host) => [host, dice.some(hosts, FRIENDS)]));
  for (const [home, host] of hosts.entries()) {
    const page = pages[home] as WebPage;
    const listed = dice.some(onHost.get(host) ?? [], HOME_LINKS);
    const others = [...(friends.get(host) ?? []), ...dice.some(hosts, HOME_FRIENDS)].map((other) =>
      hosts.indexOf(other),
    );
    page.links = [...new Set([...listed, ...others])]
      .filter((target) => target !== home)
      .map((target) => linkTo(dice, page, pages[target] as WebPage, target));
  }
  for (const group of members) {
    const together = Map.groupBy(group, (i) => pages[i]?.host ?? "");
    for (const [at, i] of group.entries()) {
      const page = pages[i] as WebPage;
      const count = MIN_LINKS + dice.below(MAX_LINKS - MIN_LINKS + 1);
      const targets = new Set<number>();
      for (let k = 0; k < count; k++) {
        const isOn = k % 2 === 0;
        const target = isOn ? onSubject(dice, group, at, together.get(page.host) ?? group) : offSubject(page.host);
        if (target !== i) targets.add(target);
      }
      targets.add(hosts.indexOf(page.host));
      page.links = dice.shuffle([...targets]).map((target) => linkTo(dice, page, pages[target] as WebPage, target));
    }
  }
  function offSubject(host: string): number {
    const chance = dice.next();
    if (chance < 0.7) return dice.one(onHost.get(host) ?? []);
    if (chance < 0.9) return dice.one(onHost.get(dice.one(friends.get(host) ?? [])) ?? []);
    return dice.below(pages.length);
  }
}

/** A neighbour, a page on the same host, or any. */
function onSubject(dice: Dice, group: readonly number[], at: number, onSameHost: readonly number[]): number {
  const chance = dice.next();
  if (chance < 0.4) return group[(at + dice.below(7) - 3 + group.length) % group.length] as number;
  return chance < 0.75 ? dice.one(onSameHost) : dice.one(group);
}

function linkTo(dice: Dice, page: WebPage, linked: WebPage, target: number): WebLink {
  const text = dice.next() < GENERIC_ANCHORS ? dice.one(GENERIC) : linked.title.slice(0, 80);
  // Around a link stands a sentence about what it leads to, or one of the page.
  const around = dice.next() < 0.5 ? startOf(linked.text, 0) : startOf(page.text, dice.below(page.text.length));
  return { target, text, around };
}

function startOf(text: string, at: number): string {
  return text.slice(at, at + 150).replaceAll("\n", " ");
}
