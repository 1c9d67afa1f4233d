/** A feed of any dialect, as it is read. URLs are as written. */
export interface Feed {
  /** Plain text, like all titles here. */
  title: string | null;
  description: string | null;
  /** A BCP 47 tag, as the feed writes it. */
  language: string | null;
  author: string | null;
  /** The page of which it is the feed. */
  home: string | null;
  /** The next part of a feed that comes in parts. */
  next: string | null;
  image: string | null;
  keywords: string[];
  /** Dates as written. */
  publishedAt: string | null;
  modifiedAt: string | null;
  /** Against which relative URLs are resolved: `xml:base`, as written; null for the URL of the feed. */
  base: string | null;
  entries: FeedEntry[];
}

export interface FeedEntry {
  title: string | null;
  url: string | null;
  author: string | null;
  /** When it was published, or else when it was last changed. */
  date: string | null;
  /** When it was last changed, if the feed says so. */
  modified?: string | undefined;
  base: string | null;
  /** The whole entry if the feed has it, or else its summary. */
  text: FeedText | null;
  /** Sounds, films and other files of the entry. */
  enclosures: string[];
}

export interface FeedText {
  value: string;
  isHtml: boolean;
  /** `xml:base` of the text alone. */
  base: string | null;
}
