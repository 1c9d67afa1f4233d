/** What a crawl knows of the archive that its answers come from. */
export interface ImportedArchive {
  /** The name of the file, or of the first of several. */
  name: string;
  /** Answers that the archive has for the crawl. Each gets a record. */
  answers: number;
  /** What has no record, by reason. Empty until all answers are there. */
  leftOut: LeftOut[];
}

export interface LeftOut {
  reason: LeftOutReason;
  count: number;
  /** Some of the URLs, or what stands in their place. */
  examples: string[];
}

/** Why a record of an archive has no record in the crawl: a closed list, each with its text for people. */
export const LEFT_OUT = {
  "older-capture": "a newer or better answer of the same URL counts",
  revisit: "the answer is said to be that of another record, which the archive does not have",
  "not-get": "it answers another request than GET",
  "not-http": "it is no answer over HTTP",
  "other-record": "it is no answer: a request, metadata, a resource or a conversion",
  "invalid-url": "its URL cannot be parsed",
  "too-long": "its URL is longer than a crawl takes",
  malformed: "it is damaged, or is no WARC record",
} as const;

export type LeftOutReason = keyof typeof LEFT_OUT;
