import type { FC } from "hono/jsx";
import type { CrawlView, ReportView } from "../../api/views.ts";
import { count } from "../../core/shown-values.ts";
import { DOCUMENT_KINDS } from "../../media/kind/document-kinds.ts";
import { reasonText } from "../crawl/explanation.tsx";
import { Submit } from "../parts/controls.tsx";
import { sentence } from "../parts/numbers.tsx";
import { DOCUMENT_NAMES } from "./document-names.ts";

/** The form that filters and sorts records. It uses GET, so that each result has an address. */

export const FILTERS = [
  "q",
  "status",
  "reason",
  "code",
  "host",
  "type",
  "document",
  "language",
  "browser",
  "label",
  "minRelevance",
  "sort",
] as const;
export type RecordFilters = Partial<Record<(typeof FILTERS)[number], string>>;

/** The first order of each column is the one that a click on its head begins with. */
export const SORTS = [
  { value: "url.asc", text: "URL (A–Z)" },
  { value: "url.desc", text: "URL (Z–A)" },
  { value: "fetchedAt.desc", text: "Newest first" },
  { value: "fetchedAt.asc", text: "Oldest first" },
  { value: "bytes.desc", text: "Largest first" },
  { value: "bytes.asc", text: "Smallest first" },
  { value: "depth.asc", text: "Depth, lowest first" },
  { value: "depth.desc", text: "Depth, highest first" },
  { value: "relevance.desc", text: "Relevance, highest first" },
  { value: "relevance.asc", text: "Relevance, lowest first" },
  { value: "priority.desc", text: "Priority, highest first" },
  { value: "rank.desc", text: "Rank, highest first" },
  { value: "rank.asc", text: "Rank, lowest first" },
  { value: "inLinks.desc", text: "Most in-links first" },
  { value: "inLinks.asc", text: "Fewest in-links first" },
  { value: "code.desc", text: "HTTP code, highest first" },
  { value: "code.asc", text: "HTTP code, lowest first" },
  { value: "status.asc", text: "Status (A–Z)" },
  { value: "status.desc", text: "Status (Z–A)" },
  { value: "title.asc", text: "Title (A–Z)" },
] as const;

const DOCUMENTS = DOCUMENT_KINDS.map((value) => ({ value, text: DOCUMENT_NAMES[value] }));

const RELEVANCES = [
  { value: "0.5", text: "0.5 or more (relevant)" },
  { value: "0.75", text: "0.75 or more" },
  { value: "0.25", text: "0.25 or more" },
];

interface Choice {
  value: string;
  text: string;
}

interface FiltersFormProps {
  crawl: CrawlView;
  report: ReportView;
  filters: RecordFilters;
  /** The labels of the last classification. */
  labels: readonly Choice[];
}

/** Rare filters are folded away unless they are in use. */
export const RecordFiltersForm: FC<FiltersFormProps> = ({ crawl, report, filters, labels }) => {
  const { reason, code, type, document, language, host, browser, label, minRelevance } = filters;
  const folded = [reason, code, type, document, language, host, browser, label, minRelevance].filter(
    (value) => value !== undefined,
  ).length;
  return (
    <form class="filters panel" method="get" action={`/crawls/${crawl.id}/records`}>
      <div class="field text">
        <label for="q">Text in URL or title</label>
        <input id="q" name="q" type="search" value={filters.q ?? ""} autocapitalize="none" spellcheck={false} />
      </div>
      <Select name="status" label="Status" value={filters.status} all="Any" choices={statuses(crawl)} />
      <Select name="sort" label="Sort by" value={filters.sort} choices={SORTS} />
      <div class="field go">
        <Submit class="primary">Apply</Submit>
        {Object.keys(filters).length > 0 && (
          <a class="button" href={`/crawls/${crawl.id}/records`}>
            Clear
          </a>
        )}
      </div>
      <details open={folded > 0}>
        <summary>Reason, code, type, document, language, host, browser{labels.length > 0 && ", label"}</summary>
        <div class="folded">
          <Select name="reason" label="Reason" value={reason} all="Any" choices={reasons(report)} />
          <Select name="code" label="HTTP code" value={code} all="Any" choices={codes(report)} />
          <Select name="type" label="Type" value={type} all="Any" choices={counted(report.types)} />
          <Select name="document" label="Document" value={document} all="Any" choices={DOCUMENTS} />
          <Select
            name="host"
            label="Host"
            value={host}
            all="Any"
            choices={report.hosts.map((each) => ({ value: each.host, text: `${each.host} (${count(each.urls)})` }))}
          />
          <div class="field">
            <label for="language">Language</label>
            <input id="language" name="language" value={language ?? ""} placeholder="de" autocapitalize="none" />
          </div>
          <Select name="browser" label="Browser" value={browser} all="Any" choices={browsers(crawl)} />
          {(labels.length > 0 || label !== undefined) && (
            <Select name="label" label="Label" value={label} all="Any" choices={labels} />
          )}
          {crawl.relevant !== null && (
            <Select name="minRelevance" label="Relevance" value={minRelevance} all="Any" choices={RELEVANCES} />
          )}
        </div>
      </details>
    </form>
  );
};

/** The selected value is always among the choices, even if no record has it at the moment. */
export const Select: FC<{
  name: string;
  label: string;
  value: string | undefined;
  all?: string;
  choices: readonly Choice[];
}> = ({ name, label, value, all, choices }) => (
  <div class="field">
    <label for={name}>{label}</label>
    <select id={name} name={name}>
      {all !== undefined && <option value="">{all}</option>}
      {value !== undefined && !choices.some((choice) => choice.value === value) && (
        <option value={value} selected>
          {value}
        </option>
      )}
      {choices.map((choice) => (
        <option value={choice.value} selected={choice.value === value}>
          {choice.text}
        </option>
      ))}
    </select>
  </div>
);

function statuses({ counts }: CrawlView): Choice[] {
  return Object.entries(counts)
    .filter(([, number]) => number > 0)
    .map(([name, number]) => ({ value: name, text: `${sentence(name)} (${count(number)})` }));
}

function reasons({ reasons: counts }: ReportView): Choice[] {
  return Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, number]) => ({ value: name, text: `${reasonText(name)} (${count(number)})` }));
}

function browsers({ shells, rendered }: CrawlView): Choice[] {
  return [
    ...(shells > 0 ? [{ value: "needed", text: `Needed, not used (${count(shells)})` }] : []),
    ...(rendered > 0 ? [{ value: "used", text: `Used (${count(rendered)})` }] : []),
  ];
}

/** HTTP codes. A class such as 4xx stands before its codes when it has several. */
function codes({ codes: counts }: ReportView): Choice[] {
  const byClass = Map.groupBy(Object.entries(counts), ([code]) => `${code[0]}xx`);
  return [...byClass].flatMap(([name, members]) => {
    const all = members.reduce((sum, [, number]) => sum + number, 0);
    const each = members.map(([code, number]) => ({ value: code, text: `${code} (${count(number)})` }));
    return members.length === 1 ? each : [{ value: name, text: `all ${name} (${count(all)})` }, ...each];
  });
}

function counted(counts: Record<string, number>): Choice[] {
  return Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, number]) => ({ value: name, text: `${name} (${count(number)})` }));
}
