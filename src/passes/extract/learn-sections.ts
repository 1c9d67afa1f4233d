import type { Crawl } from "../../crawl/crawl.ts";
import type { ValueSchema } from "../../extract/extraction.ts";
import { candidatesFor, makeRules, namesToRead, type Sample, type TriedRule } from "../../extract/rules/make-rules.ts";
import type { FieldReading, FieldRule } from "../../media/html/fields/field-rule.ts";
import { learnPatterns } from "../../sections/learn-patterns.ts";
import { findPattern } from "../../sections/pattern-tree.ts";
import type { SectionState } from "../../store/passes/extraction-sections.ts";
import type { PassDeps, PassRun } from "../pass-run.ts";
import { readPageByRules, tryRules } from "./read-rules.ts";

/**
 * Finds the sections of a crawl by the patterns of its URLs, and makes the rules of each: of three pages that a model
 * reads, tried on twenty of their siblings.
 */

/** A smaller section is asked about page by page. */
const MIN_PAGES = 12;
const FIRST_SAMPLES = 3;
const SIBLINGS = 20;
/** Patterns are learned of so many URLs. */
const MAX_SAMPLE = 10_000;
const ROWS_PER_QUERY = 5_000;
const ROWS_PER_STEP = 50_000;
/** Values that no rules read are asked about in so many pages, then page by page. */
const SAMPLES_TO_TRY = 12;
/** Pages whose form was new. More forms than that have no rules. */
export const MAX_SAMPLES = 12;
/** Pages that a step of candidates reads. */
const PAGES_PER_STEP = 8;
/** The first page that the model checks, and how much further the next one is. */
export const FIRST_CHECK = 20;
export const CHECK_FACTOR = 3;

export interface SectionPlan {
  section: string;
  /** The pages that a model is to read first. */
  first: string[];
}

/** Learns the patterns, unless they are known, and lists the sections that have no state yet. */
export async function planSections(run: PassRun): Promise<SectionPlan[]> {
  const urls: string[] = [];
  const stage = "Finding the sections";
  const known = await run.step("sections known", stage, async ({ ledger, extractionSections }, { crawl: id }) => {
    const crawl = await ledger.crawl(id);
    if (crawl === null || !isByRules(crawl)) return { pages: 0, isKnown: true };
    const pages = crawl.counters.completed;
    const patterns = await extractionSections.patterns(id);
    return { pages, isKnown: pages < MIN_PAGES || (patterns !== null && patterns.pages * 2 > pages) };
  });
  if (known.isKnown) return [];
  const stride = Math.max(1, Math.ceil(known.pages / MAX_SAMPLE));
  for (let after: string | null = "", at = 0; after !== null; at++) {
    const from: string = after;
    const some: { urls: string[]; after: string | null } = await run.step(`section urls ${at}`, stage, (deps, order) =>
      sampleUrls(order.crawl, from, stride, deps),
    );
    urls.push(...some.urls);
    after = some.after;
  }
  return run.step("sections", stage, async ({ extractionSections }, { crawl }) => {
    const tree = learnPatterns(urls);
    const bySection = Map.groupBy(urls, (url) => tree.patterns[findPattern(url, tree)] ?? "");
    const states = await extractionSections.sections(crawl);
    const plans: SectionPlan[] = [];
    for (const [section, own] of bySection) {
      if (own.length * stride < MIN_PAGES || states.has(section)) continue;
      const first = spread(own, FIRST_SAMPLES);
      const siblings = spread(
        own.filter((url) => !first.includes(url)),
        SIBLINGS,
      );
      await extractionSections.write(crawl, section, { ...NEW_SECTION, siblings });
      plans.push({ section, first });
    }
    await extractionSections.writePatterns(crawl, { tree, pages: known.pages });
    return plans;
  });
}

const NEW_SECTION: SectionState = {
  ...{ samples: [], rules: null, unread: [], version: 0, read: 0, checkAt: FIRST_CHECK, siblings: [], isClosed: false },
};

/** Whether rules may read the pages of a crawl: of values that are flat, by names that its schema has. */
export function isByRules({ options }: Pick<Crawl, "options">): boolean {
  return options.extractBy === "rules" && namesToRead(options.extract?.schema ?? null) !== null;
}

async function sampleUrls(crawl: string, from: string, stride: number, { extractions }: PassDeps) {
  const urls: string[] = [];
  let after = from;
  for (let read = 0; read < ROWS_PER_STEP; read += ROWS_PER_QUERY) {
    const some = await extractions.urls(crawl, after, ROWS_PER_QUERY);
    for (const url of some) if (hashOf(url) % stride === 0) urls.push(url);
    if (some.length < ROWS_PER_QUERY) return { urls, after: null };
    after = some.at(-1) ?? after;
  }
  return { urls, after };
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x0100_0193);
  return hash >>> 0;
}

/** So many of a list, at equal distances. */
function spread(urls: readonly string[], most: number): string[] {
  if (urls.length <= most) return [...urls];
  return Array.from({ length: most }, (_, i) => urls[Math.floor(((i + 0.5) * urls.length) / most)] ?? "");
}

/**
 * Makes the rules of a section anew. `nth`: distinguishes its steps. `more`: the pages that a model is to read, too.
 * `isOther`: whether pages are to be read again.
 */
export async function remakeRules(
  run: PassRun,
  section: string,
  nth: number,
): Promise<{ more: string[]; isOther: boolean }> {
  const stage = "Making rules";
  const name = (what: string) => `${what} ${nth}: ${section}`;
  const plan = await run.step(name("candidates"), stage, async (deps, { crawl: id }) => {
    const { crawl, schema, state } = await openSection(id, section, deps);
    const samples: Sample[] = [];
    for (const { url, values, evidence } of state.samples) {
      const page = await readPageByRules(crawl, url, {}, true, deps);
      samples.push({ url, values, evidence, proposals: page?.proposals ?? [] });
    }
    const names = namesToRead(schema) ?? [];
    const candidates = Object.fromEntries(names.map((each) => [each, candidatesFor(each, samples)]));
    return { candidates, urls: [...state.samples.map(({ url }) => url), ...state.siblings] };
  });
  const rules = distinct(Object.values(plan.candidates).flat());
  const readings: FieldReading[][] = [];
  for (let at = 0; at < plan.urls.length; at += PAGES_PER_STEP) {
    const urls = plan.urls.slice(at, at + PAGES_PER_STEP);
    const some = await run.step(name(`tries ${at}`), stage, async (deps, { crawl: id }) => {
      const { crawl } = await openSection(id, section, deps);
      const read: FieldReading[][] = [];
      for (const url of urls) read.push(await tryRules(crawl, url, rules, deps));
      return read;
    });
    readings.push(...some);
  }
  return run.step(name("rules"), stage, async (deps, { crawl: id }) => {
    const { schema, state } = await openSection(id, section, deps);
    const places = new Map(rules.map((rule, i) => [keyOf(rule), i]));
    const samples = state.samples.map((sample): Sample => ({ ...sample, proposals: [] }));
    const triedRule = (rule: FieldRule): TriedRule => {
      const at = places.get(keyOf(rule)) ?? 0;
      const of = (pages: readonly FieldReading[][]) => pages.flatMap((page) => page[at] ?? []);
      return { rule, samples: of(readings.slice(0, samples.length)), siblings: of(readings.slice(samples.length)) };
    };
    const tried = Object.fromEntries(
      Object.entries(plan.candidates).map(([each, some]) => [each, some.map(triedRule)]),
    );
    const made = makeRules(schema, samples, tried);
    const isRead = made.unread.length === 0 && samples.length > 0;
    const mayLearn = samples.length < SAMPLES_TO_TRY && !state.isClosed;
    const more = isRead || !mayLearn ? [] : nextSamples(state);
    const newRules = isRead ? made.rules : null;
    const isOther = JSON.stringify(newRules) !== JSON.stringify(state.rules);
    await deps.extractionSections.write(id, section, {
      ...state,
      rules: newRules,
      unread: made.unread,
      version: state.version + (isOther ? 1 : 0),
      isClosed: state.isClosed || (!isRead && more.length === 0) || samples.length >= MAX_SAMPLES,
    });
    return { more, isOther };
  });
}

/** Siblings that the model has not read. */
function nextSamples({ siblings, samples }: SectionState): string[] {
  const known = samples.map(({ url }) => url);
  return spread(
    siblings.filter((url) => !known.includes(url)),
    FIRST_SAMPLES,
  );
}

export async function openSection(id: string, section: string, deps: PassDeps) {
  const crawl = await deps.ledger.crawl(id);
  const state = (await deps.extractionSections.sections(id)).get(section);
  const schema = crawl?.options.extract?.schema ?? null;
  if (crawl === null || state === undefined || schema === null) throw new Error(`the section ${section} is gone`);
  return { crawl, state, schema: schema as ValueSchema };
}

const keyOf = (rule: FieldRule) => JSON.stringify(rule);

function distinct(rules: readonly FieldRule[]): FieldRule[] {
  return [...new Map(rules.map((rule) => [keyOf(rule), rule])).values()];
}
