/** A fact of a page, and where it was read, as `PageMetadata.sources` has it. */
export interface ReadFact {
  value: string;
  source: string;
}
