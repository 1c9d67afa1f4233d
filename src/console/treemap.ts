/** Squarified treemaps: rectangles in proportion to their sizes and as near to squares as they will go (Bruls, Huizing, van Wijk, 2000). */

export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** One area for each size, in order; sizes are positive and come largest first. They fill `whole`. */
export function squarify(sizes: readonly number[], whole: Area): Area[] {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const scale = total === 0 ? 0 : (whole.width * whole.height) / total;
  const areas: Area[] = [];
  let left = whole;
  let at = 0;
  while (at < sizes.length) {
    const side = Math.min(left.width, left.height);
    let end = at + 1;
    while (end < sizes.length && worst(sizes, at, end + 1, scale, side) <= worst(sizes, at, end, scale, side)) end++;
    left = layRow(sizes.slice(at, end), scale, left, areas);
    at = end;
  }
  return areas;
}

/** The largest ratio of two sides in a row of these sizes along a side; 1 is a square. */
function worst(sizes: readonly number[], from: number, to: number, scale: number, side: number): number {
  const row = sizes.slice(from, to).map((size) => size * scale);
  const sum = row.reduce((all, size) => all + size, 0);
  return Math.max(
    ...row.map((size) => Math.max((side * side * size) / (sum * sum), (sum * sum) / (side * side * size))),
  );
}

/** Lays a row along the shorter side, and answers what is left. */
function layRow(row: readonly number[], scale: number, left: Area, areas: Area[]): Area {
  const sum = row.reduce((all, size) => all + size, 0) * scale;
  const isUpright = left.width >= left.height;
  const side = isUpright ? left.height : left.width;
  const depth = side === 0 ? 0 : sum / side;
  let along = 0;
  for (const size of row) {
    const length = depth === 0 ? 0 : (size * scale) / depth;
    areas.push(
      isUpright
        ? { x: left.x, y: left.y + along, width: depth, height: length }
        : { x: left.x + along, y: left.y, width: length, height: depth },
    );
    along += length;
  }
  return isUpright
    ? { ...left, x: left.x + depth, width: Math.max(0, left.width - depth) }
    : { ...left, y: left.y + depth, height: Math.max(0, left.height - depth) };
}
