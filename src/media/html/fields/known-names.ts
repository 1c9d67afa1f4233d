import type { FieldRule, FieldType } from "./field-rule.ts";

/**
 * What the names of fields mean, for rules that say no more than a name: paths in JSON-LD and microdata, and `meta`
 * elements. Only what a page declares for programs is read, so a guess is exact or there is none.
 */

export interface KnownName {
  as: FieldType;
  /** In the order in which they are tried. */
  paths: readonly string[];
  /** Names of `meta` elements. */
  metas: readonly string[];
}

const known = (as: FieldType, paths: string, metas = ""): KnownName => ({
  as,
  paths: paths.split(" ").filter((path) => path !== ""),
  metas: metas.split(" ").filter((name) => name !== ""),
});

const TITLE = known("text", "name headline title", "og:title");
const PUBLISHED = known("date", "datePublished datePosted dateCreated uploadDate", "article:published_time");
const RATING = known("number", "aggregateRating.ratingValue reviewRating.ratingValue");
const COMPANY = known("text", "hiringOrganization.name");

const NAMES: Readonly<Record<string, KnownName>> = {
  title: TITLE,
  name: TITLE,
  headline: known("text", "headline", "og:title"),
  description: known("text", "description", "og:description description"),
  image: known("url", "image", "og:image"),
  price: known("number", "offers.price offers.priceSpecification.price", "product:price:amount og:price:amount"),
  lowprice: known("number", "offers.lowPrice"),
  highprice: known("number", "offers.highPrice"),
  currency: known(
    "text",
    "offers.priceCurrency offers.priceSpecification.priceCurrency",
    "product:price:currency og:price:currency",
  ),
  availability: known("text", "offers.availability", "product:availability og:availability"),
  brand: known("text", "brand.name", "product:brand og:brand"),
  sku: known("text", "sku"),
  gtin: known("text", "gtin gtin13 gtin14 gtin12 gtin8 isbn"),
  mpn: known("text", "mpn"),
  isbn: known("text", "isbn workExample.isbn", "book:isbn"),
  rating: RATING,
  reviews: known("number", "aggregateRating.reviewCount aggregateRating.ratingCount"),
  author: known("text", "author.name", "article:author author"),
  published: PUBLISHED,
  date: PUBLISHED,
  modified: known("date", "dateModified", "article:modified_time"),
  section: known("text", "articleSection", "article:section"),
  tags: known("list", "keywords", "article:tag"),
  ingredients: known("list", "recipeIngredient"),
  instructions: known("list", "recipeInstructions"),
  yield: known("text", "recipeYield"),
  preptime: known("text", "prepTime"),
  cooktime: known("text", "cookTime"),
  totaltime: known("text", "totalTime"),
  company: COMPANY,
  employer: COMPANY,
  salary: known("number", "baseSalary.value.value baseSalary.value baseSalary.value.minValue"),
  location: known("text", "location.name jobLocation.address.addressLocality location.address"),
  validthrough: known("date", "validThrough offers.validThrough"),
  start: known("date", "startDate"),
  end: known("date", "endDate"),
  organizer: known("text", "organizer.name"),
  performer: known("text", "performer.name"),
  address: known("text", "address"),
};

/** Case, `-` and `_` do not count. Other names are those of properties: `{"recipeYield": {}}`. */
export function knownName(name: string): KnownName {
  const folded = name.toLowerCase().replace(/[-_]/g, "");
  return Object.hasOwn(NAMES, folded) ? (NAMES[folded] as KnownName) : known("text", name);
}

/** The type of a field's values. */
export function typeOfField(name: string, { as, schema, selector }: FieldRule): FieldType {
  return as ?? (schema === undefined && selector === undefined ? knownName(name).as : "text");
}
