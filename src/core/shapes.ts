/**
 * Keeps the machine code of what is done with each page. V8's optimized code names the hidden classes of the objects that it works on, and is
 * thrown away when a full collection finds no object of such a class alive. Pages come and go as a whole, so all code for them was
 * thrown away, and compiled anew, some twenty to fifty times in a crawl of 3,000 pages. An object of each class that stays prevents that.
 */

const kept: object[] = [];
let isKeeping = false;

/** Remembers `object` for good while a sample is worked on (`keepShapesOf`), and does nothing at any other time. */
export function keepShape<T extends object>(object: T): T {
  if (isKeeping) kept.push(object);
  return object;
}

/** `workOnSample` runs at once; a page of a few kilobytes is enough. Returns all that is kept. */
export function keepShapesOf(workOnSample: () => void): readonly object[] {
  isKeeping = true;
  try {
    workOnSample();
  } finally {
    isKeeping = false;
  }
  return kept;
}
