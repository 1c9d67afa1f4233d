import { env } from "cloudflare:test";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import type { StoredContent } from "../../src/crawl/page/page-format.ts";
import type { ModelQuestion, ModelReply } from "../../src/extract/ask-for-values.ts";
import type { Extracted } from "../../src/extract/extraction.ts";
import { emptyMetadata } from "../../src/media/text/plain-content.ts";
import { extractPages } from "../../src/passes/extract/extract-pages.ts";
import { type DoStep, PassRun } from "../../src/passes/pass-run.ts";
import { answerOf, SHOP_SCHEMA, type ShopPage, shopPage } from "../sites/made-shop.ts";
import { World } from "./world.ts";

/** A shop whose model answers as it is told, or as it knows that it is. */

const SITE = "https://shop.test";
const extract = { schema: SHOP_SCHEMA, prompt: null, evidence: "marked" as const };

export class ShopWorld extends World {
  readonly questions: string[] = [];
  readonly goods: Map<string, ShopPage>;
  /** What the model answers instead. */
  err: (page: ShopPage, nth: number) => ReturnType<typeof answerOf> | null = () => null;

  constructor(pages: readonly ShopPage[]) {
    const shop = new Map(pages.map((page) => [`${SITE}${page.path}`, page]));
    super((url) => ({
      links: url === `${SITE}/` ? [...shop.keys()] : [],
      body: shop.get(url)?.html ?? "<title>Shop</title><p>Welcome to the shop.</p>",
    }));
    this.goods = shop;
    this.deps.readContent = async ({ body }) => {
      const markdown = new TextDecoder()
        .decode(body)
        .replace(/<title>.*?<\/title>/, "")
        .replace(/<[^>]*>/g, "\n");
      const content: StoredContent = {
        metadata: { ...emptyMetadata(), title: null } as StoredContent["metadata"],
        markdown,
      };
      return new TextEncoder().encode(JSON.stringify(content));
    };
    this.deps.model = {
      name: "tiny",
      characters: 10_000,
      mostTokens: () => ({ input: 20, output: 10 }),
      ask: async (question: ModelQuestion) => this.answer(question),
    };
  }

  answer({ messages }: ModelQuestion): ModelReply {
    const url = /URL: (\S+)/.exec(messages[1]?.content ?? "")?.[1] ?? "";
    this.questions.push(url);
    const page = this.goods.get(url);
    const nothing = { values: { name: null, price: null, inStock: null, brand: null, features: null }, evidence: [] };
    const said = page === undefined ? nothing : (this.err(page, this.questions.length) ?? answerOf(page));
    return { kind: "answer", text: JSON.stringify(said), isCutOff: false, tokens: { input: 10, output: 5 } };
  }

  async crawl(changes: Partial<CrawlOptions> = {}): Promise<string> {
    const id = await this.start([`${SITE}/`], { extract, extractBy: "rules", limit: 100_000, ...changes });
    await this.runToEnd(id);
    return id;
  }

  async extract(crawl: string, doStep: DoStep = (_, work) => work()): Promise<void> {
    this.now += 1_000;
    const id = crypto.randomUUID();
    await this.deps.passes.begin(crawl, id, this.now, null, { kind: "extract" });
    await extractPages(
      new PassRun(
        { crawl, id, kind: "extract" },
        doStep,
        () => this.deps,
        async () => undefined,
      ),
    );
  }

  /** How what was found compares with what the pages have. */
  async score(crawl: string) {
    const { results } = await env.LEDGER.prepare(
      "SELECT url, extracted FROM urls WHERE crawl = ?1 AND extracted IS NOT NULL",
    )
      .bind(crawl)
      .all<{ url: string; extracted: string }>();
    const score = { pages: 0, byRules: 0, right: 0, wrong: 0, missing: 0, extra: 0, problems: [] as string[] };
    for (const { url, extracted } of results) {
      const page = this.goods.get(url);
      if (page === undefined) continue;
      const { values, rules } = JSON.parse(extracted) as Extracted;
      score.pages += 1;
      if (rules === undefined) continue;
      score.byRules += 1;
      for (const [name, value] of Object.entries(page.values)) {
        const found = (values as Record<string, unknown>)[name] ?? null;
        if (JSON.stringify(found) === JSON.stringify(value)) score.right += 1;
        else if (found === null) score.missing += 1;
        else if (value === null) score.extra += 1;
        else score.wrong += 1;
        if (JSON.stringify(found) !== JSON.stringify(value))
          score.problems.push(`${url} ${name}: ${JSON.stringify(found)} for ${JSON.stringify(value)}`);
      }
    }
    return score;
  }
}

export const pagesOf = (template: "p" | "item", count: number) =>
  Array.from({ length: count }, (_, i) => shopPage(template, i + 1));
