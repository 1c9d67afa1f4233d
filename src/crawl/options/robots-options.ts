import { CONTENT_USES, PURPOSES } from "../../robots/content-signal.ts";
import { choice, choices, flag, lines } from "./option.ts";

/** Options on the wishes of sites, and on their owners. */
export const ROBOTS_OPTIONS = {
  pageRobots: flag("--ignore-page-robots", true, {
    label: "Obey robots meta tags",
    flagValue: false,
    flagHelp: "Ignore noindex and nofollow in pages. robots.txt still applies.",
    sentence: "Obey robots meta tags, X-Robots-Tag and rel=nofollow.",
  }),
  ignoreRobots: flag("--ignore-robots", false, {
    label: "Ignore robots.txt on own hosts",
    sentence: "Do not read robots.txt on hosts that are shown to be your own. On all others it is obeyed.",
  }),
  ownHosts: lines("--own <host>", {
    label: "Own private hosts",
    sentence:
      "Private hosts of your own network, such as `10.0.0.5` or `wiki.internal:8080`: the crawl may ask them though they are no seeds, and go there as fast as it is told. An installation that may ask no private address refuses them.",
  }),
  allowPrivate: lines("--allow-private <host>", {
    label: "Private hosts to ask",
    example: "*.corp.example",
    sentence:
      "Private hosts that the crawl may ask beside those of its seeds: a host, `HOST:PORT`, `*.SUFFIX`, or a block of IPv4 addresses such as `10.0.0.0/8`. A block matches addresses in URLs, not those of names. An installation that may ask no private address refuses them.",
    see: "deploying.md#private-addresses",
  }),
  crawlPurposes: choices("--purpose <name>", PURPOSES, [...PURPOSES], 1, {
    label: "Crawl purposes",
    // These suit a private copy. A crawl that feeds a model must say so.
    suggested: ["search"],
    sentence:
      "What the pages are used for. If robots.txt refuses one of these uses with a `Content-Signal`, the URL is disallowed.",
    elsewhere: { cloudflare: "crawlPurposes" },
  }),
  contentUse: choice("--content-use <level>", CONTENT_USES, "full", {
    label: "Content use",
    suggested: "reference",
    sentence:
      "How much of a page is used. `reference` means to index it, to quote it and to link back. A `Content-Signal` can refuse `full`.",
    elsewhere: { cloudflare: "contentUse" },
  }),
};
