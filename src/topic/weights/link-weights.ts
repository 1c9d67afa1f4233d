/**
 * The weights of a link's score, learned from what links led to: a ridge regression of the fetched page's relevance on
 * what was known of the link, all as log-odds, around the weights that a crawl starts with. Its sums may be added in
 * any order.
 */
import { fromLogOdds, toLogOdds } from "./log-odds.ts";

/** Weights of the log-odds of which a link's score is made. Their sum is 1. */
export interface LinkWeights {
  /** Of the relevance of the page that has the link. */
  page: number;
  /** Of the anchor text, the words around it and the words of the URL. */
  text: number;
  /** Of the record of its host. */
  host: number;
}

/** Sums over links whose page was fetched. */
export interface LinkFit {
  links: number;
  /** Of products of two features, by rows: page, text, host. */
  products: number[];
  /** Of each feature times the log-odds of the relevance of the page that it led to. */
  targets: number[];
}

export const STARTING_WEIGHTS: LinkWeights = { page: 0.3, text: 0.5, host: 0.2 };
export const NO_LINKS: LinkFit = { links: 0, products: Array(9).fill(0), targets: Array(3).fill(0) };

/** The starting weights count as much as so many links. */
const RIDGE = 500;
/** From so many links on, all sums are halved, so that the weights follow the crawl. */
const MEMORY_LINKS = 1_000;
/** No weight falls below it, so that what says nothing now can say something later. */
const MIN_WEIGHT = 0.05;

/** Each 0 to 1. */
interface LinkFeatures {
  page: number;
  text: number;
  host: number;
}

export function addLinks(fit: LinkFit, links: readonly { found: LinkFeatures; relevance: number }[]): LinkFit {
  const [products, targets] = [[...fit.products], [...fit.targets]];
  for (const { found, relevance } of links) {
    const features = [found.page, found.text, found.host].map(toLogOdds);
    const target = toLogOdds(relevance);
    for (const [i, one] of features.entries()) {
      targets[i] = (targets[i] ?? 0) + one * target;
      for (const [j, other] of features.entries()) products[3 * i + j] = (products[3 * i + j] ?? 0) + one * other;
    }
  }
  const total = fit.links + links.length;
  const halving = total > MEMORY_LINKS ? 0.5 : 1;
  const shrink = (value: number) => Number((value * halving).toFixed(4));
  return { links: total * halving, products: products.map(shrink), targets: targets.map(shrink) };
}

export function weightsOf({ products, targets }: LinkFit): LinkWeights {
  const start = [STARTING_WEIGHTS.page, STARTING_WEIGHTS.text, STARTING_WEIGHTS.host];
  const at = (i: number, j: number) => (products[3 * i + j] ?? 0) + (i === j ? RIDGE : 0);
  const rows = [0, 1, 2].map((i) => [at(i, 0), at(i, 1), at(i, 2), (targets[i] ?? 0) + RIDGE * (start[i] ?? 0)]);
  const [page, text, host] = solve(rows).map((weight) => Math.max(MIN_WEIGHT, weight)) as [number, number, number];
  const sum = page + text + host;
  return { page: round(page / sum), text: round(text / sum), host: round(host / sum) };
}

/** 0 to 1: the features' weighted mean as log-odds. A link that one feature alone speaks for comes later. */
export function weighLink(weights: LinkWeights, { page, text, host }: LinkFeatures): number {
  return fromLogOdds(weights.page * toLogOdds(page) + weights.text * toLogOdds(text) + weights.host * toLogOdds(host));
}

function round(value: number): number {
  return Number(value.toFixed(4));
}

/** Gaussian elimination. The matrix is positive definite, so no pivot is 0. `rows`: each with its right side last. */
function solve(rows: number[][]): number[] {
  const size = rows.length;
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++) {
      if (i === j) continue;
      const factor = cell(rows, j, i) / cell(rows, i, i);
      rows[j] = (rows[j] ?? []).map((value, k) => value - factor * cell(rows, i, k));
    }
  return rows.map((row, i) => (row[size] ?? 0) / cell(rows, i, i));
}

function cell(rows: number[][], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}
