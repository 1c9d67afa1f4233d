import type { FormFill } from "../../core/form-fill.ts";
import { choice, flag, integer, lines, special } from "./option.ts";

/** Which URLs a crawl finds and follows. `options.` are those that Cloudflare has below that name. */
export const SCOPE_OPTIONS = {
  urls: lines(null, {
    label: "More seed URLs",
    example: "https://example.com/news/\nhttps://example.org/",
    sentence: "A list of seeds.",
    otherwise: "",
    elsewhere: { firecrawl: "urls" },
  }),
  depth: integer("--depth <n>", 0, 100_000, 100_000, {
    label: "Max depth",
    sentence: "Maximum depth: the number of links to follow from a seed. 0 crawls only the seeds.",
    elsewhere: { cloudflare: "depth", firecrawl: "maxDiscoveryDepth" },
  }),
  source: choice("--source <kind>", ["all", "links", "sitemaps"], "all", {
    label: "URL source",
    sentence: "Where to find URLs besides the seeds: in links, in sitemaps, or in both (`all`).",
    elsewhere: { cloudflare: "source", firecrawl: "sitemap" },
  }),
  sitemaps: lines("--sitemap <url>", {
    label: "Sitemaps",
    example: "https://example.com/sitemap_index.xml",
    sentence:
      "Read these sitemaps, and those that they list, besides the sitemaps that are found by themselves. With any `source`, and on any host.",
    see: "politeness.md#sitemaps",
  }),
  "options.includeSubdomains": flag("--subdomains", false, {
    label: "Include subdomains",
    sentence: "Also crawl the subdomains of the seeds' hosts.",
    elsewhere: { cloudflare: "options.includeSubdomains", firecrawl: "allowSubdomains" },
  }),
  "options.includeExternalLinks": flag("--external", false, {
    label: "Include external links",
    sentence: "Also crawl all other hosts.",
    otherwise: "`false`, and `true` with a subject",
    elsewhere: { cloudflare: "options.includeExternalLinks", firecrawl: "allowExternalLinks" },
  }),
  "options.belowSeeds": flag("--below-seeds", false, {
    label: "Only below the seeds",
    sentence: "On the hosts of the seeds, crawl only URLs whose path begins with that of a seed.",
    elsewhere: { firecrawl: "crawlEntireDomain" },
  }),
  "options.includePatterns": lines("--include <pattern>", {
    label: "Include patterns",
    example: "/articles/**",
    flagNote: "regex:EXPRESSION searches the path",
    sentence:
      "Crawl only URLs that match one of these globs. A glob matches the whole URL, or the path if it starts with `/`. `*` stops at `/`, `**` crosses it. `regex:` before a pattern makes it a regular expression of RE2 that is searched for in the path, `regex-url:` one for the whole URL. An empty list includes all URLs.",
    elsewhere: { cloudflare: "options.includePatterns", firecrawl: "includePaths" },
  }),
  "options.excludePatterns": lines("--exclude <pattern>", {
    label: "Exclude patterns",
    example: "/private/**\n**?print=*",
    sentence: "Skip URLs that match one of these patterns. They override `includePatterns`.",
    elsewhere: { cloudflare: "options.excludePatterns", firecrawl: "excludePaths" },
  }),
  preferPatterns: lines("--prefer <pattern>", {
    label: "Priority patterns",
    example: "/news/**",
    sentence: "Crawl URLs that match one of these patterns first.",
  }),
  savePatterns: lines("--save <pattern>", {
    label: "Save patterns",
    example: "/products/**",
    sentence:
      "Save only pages that match one of these patterns. Other pages are fetched too, and their links are followed: they are skipped, reason `not-saved`, and do not count towards the limit. An empty list saves all pages.",
    see: "politeness.md#which-pages-are-saved",
  }),
  languages: lines("--language <list>", {
    label: "Languages",
    example: "de\nzh-Hant",
    sentence:
      "Store only pages in these languages (BCP 47), such as `de` or `zh-Hant`: as the page says, or else as its text is recognised. Other pages are skipped, reason `language`, and their links are followed. A page whose language nobody can tell is stored. What leads to these languages is crawled first.",
    see: "politeness.md#languages-and-countries",
  }),
  preferLanguages: lines("--prefer-language <list>", {
    label: "Priority languages",
    example: "de",
    sentence: "Crawl what leads to pages in these languages first, and store pages in all languages.",
  }),
  countries: lines("--country <list>", {
    label: "Countries",
    example: "DE\nAT",
    sentence:
      "Crawl only hosts in these countries (ISO 3166-1), such as `TW`: by their IP address, or by their top-level domain if it belongs to a content delivery network. Nothing is asked of other hosts; their URLs are skipped, reason `country`. A host whose country nobody can tell is crawled.",
    see: "politeness.md#languages-and-countries",
  }),
  llmsTxt: flag("--llms", false, {
    label: "Read llms.txt",
    sentence:
      "Read `/llms.txt` of each origin too (https://llmstxt.org), one more request. The pages that it lists are found as those of a sitemap, with any `source`.",
  }),
  scriptLinks: flag("--script-links", false, {
    label: "Links in scripts and data",
    sentence: "Also follow URLs in inline scripts, JSON-LD and `data-*` attributes.",
  }),
  forms: special("--form <selector=values>", "forms", [] as FormFill[], {
    label: "Search forms",
    example: "input[name=q]=shoes,boots",
    flagNote: "SELECTOR=shoes,boots, or SELECTOR=@FILE with a value per line",
    sentence:
      "Search forms to fill in, on each page that has them: every value becomes a link to its results. Only forms that send GET are filled in.",
  }),
  assets: flag("--assets", false, {
    label: "Store images, styles and fonts",
    sentence:
      "Also save the images, styles, scripts and fonts of pages, from any host. They do not count towards the page limit.",
  }),
  media: flag("--media", false, {
    label: "Describe sounds, films and pictures",
    sentence:
      "Also record what the sounds, films and pictures of pages say about themselves: type, size, duration, dimensions, codec, bit rate, tags, and EXIF with the place where a picture was taken. At most six ranges of 64 KiB of a file are fetched, and none of it is stored. They do not count towards the page limit.",
  }),
  dryRun: flag("--dry-run", false, {
    label: "Dry run",
    flagOf: "crawl",
    sentence: "Fetch only robots.txt and sitemaps, and record which URLs would be fetched.",
  }),
};
