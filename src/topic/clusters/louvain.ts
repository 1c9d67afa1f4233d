/**
 * Groups the nodes of a weighted graph so that its modularity is high: Blondel et al., "Fast unfolding of communities
 * in large networks", 2008. The number of groups follows from the graph. Nodes are visited in their order and ties go
 * to the lower group, so the same graph gives the same groups.
 */

export interface Graph {
  /** The edges of node i are those from starts[i] to before starts[i + 1]. Each edge stands at both of its nodes. */
  starts: Uint32Array;
  targets: Uint32Array;
  weights: Float64Array;
}

/** Levels and rounds end by themselves. This only bounds a graph that was made to be slow. */
const MAX_LEVELS = 20;
const MAX_ROUNDS = 50;
/** A move must gain so much, or rounding would decide. */
const LEAST_GAIN = 1e-9;

/** `resolution`: above 1, groups are smaller. Returns the group of each node, numbered from 0 in the order of nodes. */
export function groupNodes(graph: Graph, resolution: number): Uint32Array {
  let groups = Uint32Array.from({ length: graph.starts.length - 1 }, (_, node) => node);
  let current = graph;
  for (let level = 0; level < MAX_LEVELS; level++) {
    const moved = moveNodes(current, resolution);
    const numbered = renumber(moved);
    groups = groups.map((group) => numbered[group] as number);
    const count = Math.max(-1, ...new Set(numbered)) + 1;
    if (count === current.starts.length - 1) break;
    current = mergeNodes(current, numbered, count);
  }
  return renumber(groups);
}

function moveNodes({ starts, targets, weights }: Graph, resolution: number): Uint32Array {
  const nodes = starts.length - 1;
  const groups = Uint32Array.from({ length: nodes }, (_, node) => node);
  const degrees = new Float64Array(nodes);
  let total = 0;
  for (let node = 0; node < nodes; node++)
    for (let at = starts[node] as number; at < (starts[node + 1] as number); at++) {
      degrees[node] = (degrees[node] as number) + (weights[at] as number);
      total += weights[at] as number;
    }
  if (total === 0) return groups;
  const sums = degrees.slice();
  const links = new Float64Array(nodes);
  let isMoving = true;
  for (let round = 0; isMoving && round < MAX_ROUNDS; round++) {
    isMoving = false;
    for (let node = 0; node < nodes; node++) {
      const own = groups[node] as number;
      const degree = degrees[node] as number;
      const near: number[] = [own];
      for (let at = starts[node] as number; at < (starts[node + 1] as number); at++) {
        const target = targets[at] as number;
        if (target === node) continue;
        const group = groups[target] as number;
        if (links[group] === 0 && group !== own) near.push(group);
        links[group] = (links[group] as number) + (weights[at] as number);
      }
      sums[own] = (sums[own] as number) - degree;
      const gainOf = (group: number) =>
        (links[group] as number) - (resolution * (sums[group] as number) * degree) / total;
      let best = own;
      let most = gainOf(own) + LEAST_GAIN * total;
      for (const group of near) {
        const gain = gainOf(group);
        if (gain > most || (gain === most && group < best)) [best, most] = [group, gain];
      }
      for (const group of near) links[group] = 0;
      sums[best] = (sums[best] as number) + degree;
      if (best !== own) {
        groups[node] = best;
        isMoving = true;
      }
    }
  }
  return groups;
}

function renumber(groups: Uint32Array): Uint32Array {
  const numbers = new Map<number, number>();
  return groups.map((group) => {
    const number = numbers.get(group) ?? numbers.size;
    numbers.set(group, number);
    return number;
  });
}

/** Each group becomes a node. Edges inside of a group become an edge to itself. */
function mergeNodes({ starts, targets, weights }: Graph, groups: Uint32Array, count: number): Graph {
  const sums = Array.from({ length: count }, () => new Map<number, number>());
  for (let node = 0; node < groups.length; node++) {
    const own = sums[groups[node] as number] as Map<number, number>;
    for (let at = starts[node] as number; at < (starts[node + 1] as number); at++) {
      const group = groups[targets[at] as number] as number;
      own.set(group, (own.get(group) ?? 0) + (weights[at] as number));
    }
  }
  return toGraph(sums);
}

/** `edges`: for each node the weights by target. */
export function toGraph(edges: readonly ReadonlyMap<number, number>[]): Graph {
  const starts = new Uint32Array(edges.length + 1);
  for (const [node, { size }] of edges.entries()) starts[node + 1] = (starts[node] as number) + size;
  const targets = new Uint32Array(starts[edges.length] as number);
  const weights = new Float64Array(targets.length);
  let at = 0;
  for (const own of edges)
    for (const [target, weight] of own) {
      targets[at] = target;
      weights[at] = weight;
      at += 1;
    }
  return { starts, targets, weights };
}
