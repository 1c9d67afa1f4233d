/** A crawl's URLs as a tree: hosts, below them path segments, one level at a time. */
export interface TreeLevel {
  /** The prefix whose children these are; empty for the hosts. */
  path: string;
  children: TreeNode[];
  /** The sum of the children that are not listed; null if all are listed. */
  rest: (TreeCounts & { children: number }) | null;
  /** The same children in ranges of their names, in order; empty if all are listed. */
  ranges: TreeRange[];
}

/** Children whose segments are from `first` to `last`, in the order of their names. */
export interface TreeRange extends TreeCounts {
  first: string;
  last: string;
  children: number;
}

export interface TreeNode extends TreeCounts {
  /** An origin at the top; below it a path segment, which ends with a slash if it has children. */
  segment: string;
  /** It has no children. It may be several URLs that differ only in their query. */
  isLeaf: boolean;
}

export interface TreeCounts {
  urls: number;
  completed: number;
  /** URLs that have no final status yet. */
  queued: number;
  errored: number;
  /** Bytes of completed pages. */
  bytes: number;
}
