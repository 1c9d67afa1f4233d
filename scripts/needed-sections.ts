/**
 * The sections of `wrangler.toml` that the Worker uses, and since which version: an installation that keeps its own
 * file learns from a deploy what it lacks. docs/operating.md has the table, and a unit test compares them.
 */

export interface NeededSection {
  /** As it is written in the file. */
  section: string;
  /** Its `binding`, or its `name`. Empty for a section that has neither. */
  name: string;
  since: string;
  /** What is off without it; null if a deploy needs it. */
  without: string | null;
}

export const SECTIONS: readonly NeededSection[] = [
  { section: "[[durable_objects.bindings]]", name: "HOST_GATE", since: "0.1", without: null },
  { section: "[[queues.producers]]", name: "FRONTIER", since: "0.1", without: null },
  { section: "[triggers]", name: "", since: "0.1", without: null },
  { section: "[[queues.producers]]", name: "NOTICES", since: "0.2", without: null },
  { section: "[[queues.producers]]", name: "DOCUMENTS", since: "0.2", without: null },
  { section: "[[durable_objects.bindings]]", name: "BROWSER_SESSION", since: "0.2", without: null },
  { section: "[[workflows]]", name: "PASSES", since: "0.2", without: null },
  { section: "[assets]", name: "ASSETS", since: "0.2", without: null },
  { section: "[browser]", name: "BROWSER", since: "0.2", without: "no page is drawn (--render)" },
  { section: "[[services]]", name: "READER", since: "0.2", without: "PDF, Office and EPUB documents are not read" },
  { section: "[[ratelimits]]", name: "TOKEN_LIMIT", since: "0.2", without: "a token may send any number of requests" },
  { section: "[[ratelimits]]", name: "GUESS_LIMIT", since: "0.2", without: "tokens may be guessed at any rate" },
  {
    section: "[[ratelimits]]",
    name: "INDEXNOW_LIMIT",
    since: "0.2",
    without: "/indexnow takes any number of requests",
  },
];

/** What wrangler's reader says of the file: of each section only what names it. */
export interface NamedSections {
  durable_objects: { bindings: { name: string }[] };
  queues: { producers?: { binding: string }[] };
  triggers: { crons?: string[] | undefined };
  workflows: { binding: string }[];
  assets?: { binding?: string } | undefined;
  browser?: { binding: string } | undefined;
  services?: { binding: string }[] | undefined;
  ratelimits?: { name: string }[] | undefined;
}

export function missingSections(config: NamedSections): NeededSection[] {
  const names: Record<string, readonly (string | undefined)[]> = {
    "[[durable_objects.bindings]]": config.durable_objects.bindings.map(({ name }) => name),
    "[[queues.producers]]": config.queues.producers?.map(({ binding }) => binding) ?? [],
    "[triggers]": (config.triggers.crons ?? []).length > 0 ? [""] : [],
    "[[workflows]]": config.workflows.map(({ binding }) => binding),
    "[assets]": [config.assets?.binding],
    "[browser]": [config.browser?.binding],
    "[[services]]": config.services?.map(({ binding }) => binding) ?? [],
    "[[ratelimits]]": config.ratelimits?.map(({ name }) => name) ?? [],
  };
  return SECTIONS.filter(({ section, name }) => !(names[section] ?? []).includes(name));
}

/** A section for people, such as `[[workflows]] PASSES (since 0.2)`. */
export function nameSection({ section, name, since }: NeededSection): string {
  return `${[section, name].filter((word) => word !== "").join(" ")} (since ${since})`;
}
