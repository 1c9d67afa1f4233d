import type { Crawl } from "../../crawl/crawl.ts";
import type { Extracted, Json } from "../../extract/extraction.ts";
import { isSameValue, readByRules, toFieldRules } from "../../extract/rules/value-rules.ts";
import { type CheckedSchema, checkedSchema } from "../../extract/value-schema.ts";
import { findPattern } from "../../sections/pattern-tree.ts";
import type { SectionPatterns, SectionState } from "../../store/passes/extraction-sections.ts";
import type { ExtractionRow } from "../../store/passes/extractions.ts";
import type { PassDeps } from "../pass-run.ts";
import { CHECK_FACTOR, FIRST_CHECK, isByRules, MAX_SAMPLES } from "./learn-sections.ts";
import { readPageByRules } from "./read-rules.ts";

/** Samples of which rules are made first. */
const FIRST_SAMPLES = 3;

type Read = Pick<Extracted, "values" | "evidence" | "rules">;
type Values = { [name: string]: Json };

/** Reads pages by the rules of their sections, as far as a step knows them, and learns from what a model reads. */
export class SectionReader {
  /** Sections with new samples, whose rules are to be made. */
  readonly remake = new Set<string>();
  readonly #crawl: Crawl;
  readonly #deps: PassDeps;
  readonly #patterns: SectionPatterns | null;
  readonly #states: Map<string, SectionState>;
  readonly #changed = new Set<string>();
  readonly #schema: CheckedSchema;
  /** What rules read of pages that a model checks. */
  readonly #checked = new Map<string, Values>();

  private constructor(
    crawl: Crawl,
    patterns: SectionPatterns | null,
    states: Map<string, SectionState>,
    deps: PassDeps,
  ) {
    this.#crawl = crawl;
    this.#patterns = patterns;
    this.#states = states;
    this.#deps = deps;
    this.#schema = checkedSchema(crawl.options.extract?.schema ?? null);
  }

  static async open(crawl: Crawl, deps: PassDeps): Promise<SectionReader> {
    if (!isByRules(crawl)) return new SectionReader(crawl, null, new Map(), deps);
    const patterns = await deps.extractionSections.patterns(crawl.id);
    const states = patterns === null ? new Map() : await deps.extractionSections.sections(crawl.id);
    return new SectionReader(crawl, patterns, states, deps);
  }

  get hasRules(): boolean {
    return [...this.#states.values()].some(({ rules }) => rules !== null);
  }

  /** Whether rules have read the page that were made anew since. */
  isOutdated({ extracted }: ExtractionRow): boolean {
    if (extracted === null || !extracted.includes('"rules":{')) return false;
    const { rules } = JSON.parse(extracted) as Extracted;
    const state = rules === undefined ? undefined : this.#states.get(rules.section);
    return rules !== undefined && state !== undefined && state.version > rules.version;
  }

  /** Null if a model is to read the page. */
  async read(url: string): Promise<Read | null> {
    const section = this.#sectionOf(url);
    const state = this.#states.get(section);
    if (state === undefined || state.rules === null) return null;
    const page = await readPageByRules(this.#crawl, url, toFieldRules(state.rules), false, this.#deps);
    const read = page === null ? null : readByRules(state.rules, page.fields);
    if (read === null || this.#schema.problems(read.values).length > 0) return null;
    const isEmptySection = Object.values(state.rules).every(({ rules }) => rules.length === 0);
    // Other rules may be needed for a page of which these read nothing.
    if (isEmpty(read.values) && !isEmptySection) return null;
    this.#change(section, { read: state.read + 1 });
    if (state.read + 1 >= state.checkAt) {
      this.#change(section, { checkAt: Math.max(FIRST_CHECK, state.checkAt) * CHECK_FACTOR });
      this.#checked.set(url, read.values);
      return null;
    }
    return { ...read, rules: { section, version: state.version } };
  }

  /** Takes what a model found in a page. It is a sample if no rules read the page, or if they read it otherwise. */
  learn(url: string, extracted: Extracted, section = this.#sectionOf(url)): void {
    const state = this.#states.get(section);
    const { values, evidence, problem } = extracted;
    const checked = this.#checked.get(url);
    if (state === undefined || problem !== null || !isValues(values) || state.isClosed) return;
    if (checked !== undefined && !disagrees(values, evidence, checked)) return;
    const isFirst = state.samples.every((sample) => isEmpty(sample.values));
    if (state.samples.some((sample) => sample.url === url) || (isEmpty(values) && !isFirst)) return;
    if (state.samples.length >= MAX_SAMPLES) return;
    // Pages without any value say nothing of how the others are read.
    const kept = isEmpty(values) ? state.samples : state.samples.filter((sample) => !isEmpty(sample.values));
    const samples = [...kept, { url, values, evidence }];
    this.#change(section, { samples });
    if (samples.length >= FIRST_SAMPLES || state.rules !== null) this.remake.add(section);
  }

  async close(): Promise<void> {
    for (const section of this.#changed)
      await this.#deps.extractionSections.write(this.#crawl.id, section, this.#states.get(section) as SectionState);
  }

  #sectionOf(url: string): string {
    if (this.#patterns === null) return "";
    const { tree } = this.#patterns;
    return tree.patterns[findPattern(url, tree)] ?? "";
  }

  #change(section: string, changes: Partial<SectionState>): void {
    this.#states.set(section, { ...(this.#states.get(section) as SectionState), ...changes });
    this.#changed.add(section);
  }
}

function isValues(values: Json): values is Values {
  return typeof values === "object" && values !== null && !Array.isArray(values);
}

function isEmpty(values: Values): boolean {
  return Object.values(values).every((value) => value === null);
}

/** Values of a model without evidence say nothing. */
function disagrees(values: Values, evidence: Extracted["evidence"], read: Values): boolean {
  return Object.entries(read).some(([name, value]) => {
    const found = values[name] ?? null;
    const isKnown = !evidence.some(({ path, problem }) => path.startsWith(`/${name}`) && problem !== null);
    return isKnown && !isSameValue(found, value);
  });
}
