import { integer, lines, number, text } from "./option.ts";

/** The subject of a crawl, and what follows from it for other options. */

/** Few URLs are in motion, so that the others keep their order: two batches. */
export const SUBJECT_MAX_QUEUED = 50;
/**
 * Where the seeds and examples are on so many hosts, a host gives at most a quarter of the pages, but never fewer than
 * this. Then the seeds' hosts alone can fill the page limit.
 */
export const SUBJECT_SHARING_HOSTS = 4;
export const SUBJECT_HOST_SHARE = 1 / SUBJECT_SHARING_HOSTS;
export const SUBJECT_LEAST_HOST_LIMIT = 100;

export const SUBJECT_OPTIONS = {
  topic: text("--topic <words>", {
    label: "Words of the subject",
    sentence:
      "The subject, in words: links are followed best first, and each page gets a `relevance`. It implies `includeExternalLinks`, a small `maxQueued`, and, with seeds on many hosts, a `limitPerHost`.",
    see: "topics.md",
  }),
  like: lines("--like <url|file>", {
    label: "Example pages",
    flagHelp: "An example page of the subject, or a file with its text, with or without `topic`.",
    sentence: "URLs of example pages of the subject. They are fetched first, and count as seeds.",
  }),
  likeTexts: lines(null, {
    label: "Example texts (one a line)",
    sentence: "Texts of example pages of the subject.",
  }),
  until: number("--until <share>", 0, 1, 0, {
    label: "Least share of relevant pages (0 to 1)",
    sentence:
      "The crawl ends when fewer than this share of its last 200 pages were relevant: the remaining URLs are `cancelled`, reason `topic-exhausted`. 0 means never. It needs a subject.",
  }),
  limitPerHost: integer("--limit-per-host <n>", 0, 10_000_000, 0, {
    label: "Page limit per host",
    sentence: "Page limit for each host: its maximum number of completed pages. 0 means no limit.",
    otherwise: `0, and with a subject whose seeds are on ${SUBJECT_SHARING_HOSTS} hosts or more a quarter of \`limit\`, but at least ${SUBJECT_LEAST_HOST_LIMIT}`,
  }),
};
