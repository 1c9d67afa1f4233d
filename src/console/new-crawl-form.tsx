import type { Child, FC } from "hono/jsx";
import { type Field, fieldGroups } from "./crawl-fields.ts";
import { emptyForm, type Filled, first, SUGGESTED_LIMIT } from "./crawl-form-data.ts";
import { Beside, BesideAll, describedBy, Help, type Problems } from "./field.tsx";
import { count } from "./numbers.tsx";

/** The form for a crawl: a URL and a button are enough, the rest is folded away. */

export interface FormProps {
  filled: Filled;
  problems: Problems;
  /** What the crawl would take. */
  preview: Child;
}

export const NewCrawlForm: FC<FormProps> = ({ filled, problems, preview }) => (
  <form class="new-crawl" method="post" action="/crawls/new" novalidate data-preview>
    <div class="panel start">
      <Beside name="url" label="URL" problems={problems} help="What it links to on the same host is crawled too.">
        {(described) => (
          <input
            id="url"
            name="url"
            type="text"
            inputmode="url"
            autocomplete="url"
            autocapitalize="none"
            spellcheck={false}
            placeholder="https://example.com/"
            value={first(filled, "url")}
            autofocus
            required
            {...described}
          />
        )}
      </Beside>
      <Beside
        name="limit"
        label="Most pages"
        problems={problems}
        help={`Kept; by default ${count(Number(SUGGESTED_LIMIT))}.`}
      >
        {(described) => (
          <input
            id="limit"
            name="limit"
            type="number"
            min="1"
            max="10000000"
            value={first(filled, "limit")}
            {...described}
          />
        )}
      </Beside>
      <button class="button primary" type="submit">
        Start crawl
      </button>
    </div>
    {preview}
    <div class="groups">
      {fieldGroups().map(({ title, fields }) => (
        <Group title={title} fields={fields} filled={filled} problems={problems} />
      ))}
    </div>
    <p class="end">
      <button class="button primary" type="submit">
        Start crawl
      </button>
    </p>
  </form>
);

/** The shortest form there is. */
export const SeedForm: FC = () => (
  <form class="seed" method="post" action="/crawls/new">
    <label class="visually-hidden" for="seed">
      URL
    </label>
    <input
      id="seed"
      name="url"
      type="text"
      inputmode="url"
      autocapitalize="none"
      spellcheck={false}
      placeholder="https://example.com/"
      required
    />
    <input type="hidden" name="limit" value={SUGGESTED_LIMIT} />
    {Object.entries(emptyForm()).flatMap(([name, values]) =>
      name === "limit" ? [] : values.map((value) => <input type="hidden" name={name} value={value} />),
    )}
    <button class="button primary" type="submit">
      Start crawl
    </button>
    <p class="small">
      It stops at {count(Number(SUGGESTED_LIMIT))} pages. <a href="/crawls/new">All options</a>
    </p>
  </form>
);

const Group: FC<{ title: string; fields: Field[]; filled: Filled; problems: Problems }> = ({
  title,
  fields,
  filled,
  problems,
}) => {
  const changed = fields.filter((field) => isChanged(field, filled)).length;
  const wrong = fields.filter(({ name }) => problems[name] !== undefined).length;
  return (
    <details class="panel group" open={changed > 0 || wrong > 0}>
      <summary>
        <h2>{title}</h2>
        <span class="muted small">
          {changed > 0 ? `${changed} changed` : fields.map(({ label }) => label).join(" · ")}
        </span>
      </summary>
      <div class="fields">
        {fields.map((field) => (
          <Input field={field} filled={filled} problems={problems} />
        ))}
      </div>
    </details>
  );
};

/** Whether it is as somebody has set it. */
export function isChanged({ name, kind, default: preset }: Field, filled: Filled): boolean {
  if (kind === "switch") return (first(filled, name) !== "") !== preset;
  if (kind === "choices") return JSON.stringify(filled[name] ?? []) !== JSON.stringify(preset);
  return first(filled, name) !== "" && first(filled, name) !== String(preset ?? "");
}

const Input: FC<{ field: Field; filled: Filled; problems: Problems }> = ({ field, filled, problems }) => {
  const { name, label, kind, choices, default: preset } = field;
  const help = `${field.text} ${defaultOf(field)}`.trim();
  const value = filled[name]?.[0] ?? "";
  if (kind === "switch") {
    return (
      <div class="field">
        <div class="check">
          <input
            id={name}
            type="checkbox"
            name={name}
            value="on"
            checked={value !== ""}
            {...describedBy(name, help, problems)}
          />
          <label for={name}>{label}</label>
        </div>
        <Help name={name} text={help} />
      </div>
    );
  }
  if (kind === "choices") {
    return (
      <BesideAll name={name} label={label} problems={problems} help={help}>
        {() => (
          <div class="choices">
            {choices.map((choice) => (
              <label class="check">
                <input type="checkbox" name={name} value={choice} checked={filled[name]?.includes(choice) ?? false} />
                {choice}
              </label>
            ))}
          </div>
        )}
      </BesideAll>
    );
  }
  return (
    <Beside name={name} label={label} problems={problems} help={help}>
      {(described) => {
        if (kind === "choice") {
          return (
            <select id={name} name={name} {...described}>
              {preset === undefined ? <option value="">as the installation says</option> : null}
              {choices.map((choice) => (
                <option value={choice} selected={choice === (value || preset)}>
                  {choice}
                </option>
              ))}
            </select>
          );
        }
        if (kind === "lines" || kind === "pairs") {
          return (
            <textarea
              id={name}
              name={name}
              rows={3}
              spellcheck={false}
              placeholder={EXAMPLES[name] ?? ""}
              {...described}
            >
              {value}
            </textarea>
          );
        }
        if (kind === "text" || kind === "date")
          return <input id={name} name={name} type={kind} value={value} {...described} />;
        return (
          <input
            id={name}
            name={name}
            type="number"
            min={field.min}
            max={field.max}
            step={kind === "integer" ? "1" : "any"}
            value={value}
            placeholder={String(preset)}
            {...described}
          />
        );
      }}
    </Beside>
  );
};

const EXAMPLES: Record<string, string> = {
  urls: "https://example.com/news/\nhttps://example.org/",
  "options.includePatterns": "/articles/**",
  "options.excludePatterns": "/private/**\n**?print=*",
  preferPatterns: "/news/**",
  headers: "Authorization: Bearer ...",
};

/** A sentence for the default, and of what is written one to a line that it is. */
function defaultOf({ name, kind, default: preset }: Field): string {
  if (name in OWN_DEFAULTS) return OWN_DEFAULTS[name] ?? "";
  if (kind === "lines") return "One to a line; none by default.";
  if (kind === "pairs") return "Name: value, one to a line; none by default.";
  if (kind === "switch") return preset === true ? "On by default." : "Off by default.";
  if (Array.isArray(preset)) return preset.length === 0 ? "None by default." : `By default ${preset.join(", ")}.`;
  return `By default ${typeof preset === "number" ? count(preset) : String(preset)}.`;
}

/** Of those whose default the schema does not name; where the sentence does, nothing. */
const OWN_DEFAULTS: Record<string, string> = {
  userAgent: "",
  modifiedSince: "By default all.",
};
