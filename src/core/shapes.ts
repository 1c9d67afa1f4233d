/**
 * Keeps V8's optimized code for pages. Such code refers to the hidden classes of objects, and V8 discards it when a
 * full collection finds no object of a class alive. All objects of a page die together, so this code was discarded and
 * compiled again twenty to fifty times in a crawl of 3,000 pages, and a page took up to three times as long. One object
 * of each class that stays alive prevents that.
 */

const kept: object[] = [];
let isKeeping = false;

/** Keeps `object` alive for good if called within `keepShapesOf`, else does nothing. */
export function keepShape<T extends object>(object: T): T {
  if (isKeeping) kept.push(object);
  return object;
}

/** Calls `workOnSample`, for which a page of a few kilobytes is enough. Returns all kept objects. */
export function keepShapesOf(workOnSample: () => void): readonly object[] {
  isKeeping = true;
  try {
    workOnSample();
  } finally {
    isKeeping = false;
  }
  return kept;
}
