/** Squarified treemaps: nearly square areas in proportion to sizes (Bruls, Huizing, van Wijk, 2000). */

export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** One rectangle per size, in order; together they fill `area`. Sizes must be positive and sorted, largest first. */
export function squarify(sizes: readonly number[], area: Area): Area[] {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const scale = total === 0 ? 0 : (area.width * area.height) / total;
  const areas: Area[] = [];
  let rest = area;
  let at = 0;
  while (at < sizes.length) {
    const side = Math.min(rest.width, rest.height);
    let end = at + 1;
    while (end < sizes.length && worstRatio(sizes, at, end + 1, scale, side) <= worstRatio(sizes, at, end, scale, side))
      end++;
    rest = layRow(sizes.slice(at, end), scale, rest, areas);
    at = end;
  }
  return areas;
}

/** The worst aspect ratio in a row of these sizes along a side; 1 is a square. */
function worstRatio(sizes: readonly number[], from: number, to: number, scale: number, side: number): number {
  const row = sizes.slice(from, to).map((size) => size * scale);
  const sum = row.reduce((all, size) => all + size, 0);
  return Math.max(
    ...row.map((size) => Math.max((side * side * size) / (sum * sum), (sum * sum) / (side * side * size))),
  );
}

/** Lays a row along the shorter side and returns the remaining area. */
function layRow(row: readonly number[], scale: number, rest: Area, areas: Area[]): Area {
  const sum = row.reduce((all, size) => all + size, 0) * scale;
  const isUpright = rest.width >= rest.height;
  const side = isUpright ? rest.height : rest.width;
  const depth = side === 0 ? 0 : sum / side;
  let along = 0;
  for (const size of row) {
    const length = depth === 0 ? 0 : (size * scale) / depth;
    areas.push(
      isUpright
        ? { x: rest.x, y: rest.y + along, width: depth, height: length }
        : { x: rest.x + along, y: rest.y, width: length, height: depth },
    );
    along += length;
  }
  return isUpright
    ? { ...rest, x: rest.x + depth, width: Math.max(0, rest.width - depth) }
    : { ...rest, y: rest.y + depth, height: Math.max(0, rest.height - depth) };
}
