/** A crawl's URLs as a tree: hosts, below them path segments, one level at a time. */
export interface TreeLevel {
  /** The prefix whose children these are; empty for the hosts. */
  path: string;
  children: TreeNode[];
  /** Of the children that are not among them, added up; null where all are. */
  rest: (TreeCounts & { children: number }) | null;
}

export interface TreeNode extends TreeCounts {
  /** An origin at the top; below it a path segment, which ends with a slash where there is more below it. */
  segment: string;
  /** Nothing is below it. It still stands for several URLs where they differ in their query alone. */
  isLeaf: boolean;
}

export interface TreeCounts {
  urls: number;
  completed: number;
  errored: number;
  /** Of completed pages. */
  bytes: number;
}
