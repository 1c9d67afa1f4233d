/**
 * Bodies of Firecrawl's version 1, which older clients and LangChain's loader send, as those of version 2: the names
 * that differ. What is left is checked as version 2.
 */

type Body = Record<string, unknown>;

/** Their maxAge was 0 in version 1: every page is fetched. */
const NO_AGE = { maxAge: 0 };

export function scrapeFromV1(given: unknown): unknown {
  const body = toObject(given);
  return body === null ? given : { ...NO_AGE, ...scrapeOptionsFromV1(body) };
}

export function crawlFromV1(given: unknown): unknown {
  const body = toObject(given);
  if (body === null) return given;
  const { maxDepth, allowBackwardLinks, ignoreSitemap, scrapeOptions, ...same } = body;
  const options = toObject(scrapeOptions);
  return {
    ...(maxDepth === undefined ? {} : { maxDiscoveryDepth: maxDepth }),
    ...(allowBackwardLinks === undefined ? {} : { crawlEntireDomain: allowBackwardLinks }),
    ...(ignoreSitemap === undefined ? {} : { sitemap: ignoreSitemap === true ? "skip" : "include" }),
    ...same,
    ...(scrapeOptions === undefined
      ? {}
      : { scrapeOptions: options === null ? scrapeOptions : scrapeOptionsFromV1(options) }),
  };
}

export function mapFromV1(given: unknown): unknown {
  const body = toObject(given);
  if (body === null) return given;
  const { ignoreSitemap, sitemapOnly, ...same } = body;
  const sitemap = sitemapOnly === true ? "only" : ignoreSitemap === true ? "skip" : undefined;
  return { ...(sitemap === undefined ? {} : { sitemap }), ...same };
}

function scrapeOptionsFromV1({ formats, extract, jsonOptions, changeTrackingOptions, parsePDF, ...same }: Body): Body {
  const optionsOf: Record<string, unknown> = { json: jsonOptions, extract, changeTracking: changeTrackingOptions };
  const withOptions = (type: unknown) =>
    typeof type === "string" && optionsOf[type] !== undefined ? { ...toObject(optionsOf[type]), type } : type;
  return {
    ...(formats === undefined ? {} : { formats: Array.isArray(formats) ? formats.map(withOptions) : formats }),
    ...(parsePDF === undefined ? {} : { parsers: parsePDF === false ? [] : ["pdf"] }),
    ...same,
  };
}

function toObject(given: unknown): Body | null {
  return typeof given === "object" && given !== null && !Array.isArray(given) ? (given as Body) : null;
}
