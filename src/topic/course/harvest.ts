/** The harvest rate of a crawl over time: how relevant its pages were, in points of as many pages each. */

export interface HarvestSeries {
  /** 10, and twice as many each time the series is full. */
  pagesPerPoint: number;
  /** The mean relevance of the pages of each point, in thousandths. */
  points: number[];
  /** The pages since the last point. */
  open: { pages: number; sum: number };
}

export const EMPTY_HARVEST: HarvestSeries = { pagesPerPoint: 10, points: [], open: { pages: 0, sum: 0 } };

const MAX_POINTS = 200;

export function addToHarvest(series: HarvestSeries, relevances: readonly number[]): HarvestSeries {
  let { pagesPerPoint, points, open } = series;
  points = [...points];
  for (const relevance of relevances) {
    open = { pages: open.pages + 1, sum: Number((open.sum + relevance).toFixed(3)) };
    if (open.pages < pagesPerPoint) continue;
    points.push(Math.round((1_000 * open.sum) / open.pages));
    open = { pages: 0, sum: 0 };
    if (points.length < MAX_POINTS) continue;
    points = mergePairs(points);
    pagesPerPoint *= 2;
  }
  return { pagesPerPoint, points, open };
}

function mergePairs(points: readonly number[]): number[] {
  return Array.from({ length: points.length / 2 }, (_, i) =>
    Math.round(((points[2 * i] ?? 0) + (points[2 * i + 1] ?? 0)) / 2),
  );
}
