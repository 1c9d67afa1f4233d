import type { Child, FC } from "hono/jsx";
import { count } from "../../core/shown-values.ts";
import { OPTIONS } from "../../crawl/options/option-table.ts";
import { isWrittenWith, writeNumber } from "../../crawl/options/written-number.ts";
import { Submit, UrlInput } from "../parts/controls.tsx";
import { describedBy, FieldGroup, FormField, Help, type Problems } from "../parts/field.tsx";
import { type Field, fieldGroups } from "./crawl-fields.ts";
import { emptyForm, type FormValues, firstValue, SUGGESTED_LIMIT } from "./crawl-form-data.ts";
import { MAX_LIST_URLS } from "./start-list.ts";

/** The form for a new crawl. Only the URL is required; options are folded away. */

interface FormProps {
  values: FormValues;
  problems: Problems;
  /** The scope preview. */
  preview: Child;
}

export const NewCrawlForm: FC<FormProps> = ({ values, problems, preview }) => (
  <form class="new-crawl" method="post" action="/crawls/new" enctype="multipart/form-data" novalidate data-preview>
    <div class="panel start">
      <FormField
        name="url"
        label={OPTIONS.url.label}
        problems={problems}
        help="Links to pages on the same host are crawled too."
      >
        {(described) => (
          <UrlInput
            id="url"
            name="url"
            autocomplete="url"
            placeholder="https://example.com/"
            value={firstValue(values, "url")}
            autofocus
            required
            {...described}
          />
        )}
      </FormField>
      <FormField name="limit" label={OPTIONS.limit.label} problems={problems} help="Counts stored pages.">
        {(described) => (
          <input
            id="limit"
            name="limit"
            type="number"
            min={OPTIONS.limit.min}
            max={OPTIONS.limit.max}
            value={firstValue(values, "limit")}
            {...described}
          />
        )}
      </FormField>
      <Submit class="primary">Start crawl</Submit>
    </div>
    {preview}
    <details class="panel group" open={problems.list !== undefined}>
      <summary>
        <h2>A list of URLs</h2>
        <span class="muted small">From a file: lines, CSV, JSON or a sitemap</span>
      </summary>
      <div class="fields">
        <FormField
          name="list"
          label="List of URLs"
          problems={problems}
          help={`At most ${count(MAX_LIST_URLS)} URLs. Without a depth, these pages alone are crawled, and all of them: the page limit above counts only if you change it.`}
        >
          {(described) => <input id="list" name="list" type="file" {...described} />}
        </FormField>
      </div>
    </details>
    <div class="groups">
      {fieldGroups().map(({ title, fields }) => (
        <Group title={title} fields={fields} values={values} problems={problems} />
      ))}
    </div>
    <p class="end">
      <Submit class="primary">Start crawl</Submit>
    </p>
  </form>
);

/** A form with only the URL; everything else has its default. */
export const SeedForm: FC = () => (
  <form class="seed" method="post" action="/crawls/new">
    <label class="visually-hidden" for="seed">
      URL
    </label>
    <UrlInput id="seed" name="url" placeholder="https://example.com/" required />
    <input type="hidden" name="limit" value={SUGGESTED_LIMIT} />
    {Object.entries(emptyForm()).flatMap(([name, values]) =>
      name === "limit" ? [] : values.map((value) => <input type="hidden" name={name} value={value} />),
    )}
    <Submit class="primary">Start crawl</Submit>
    <p class="small">
      Page limit: {count(Number(SUGGESTED_LIMIT))}. <a href="/crawls/new">All options</a>
    </p>
  </form>
);

const Group: FC<{ title: string; fields: Field[]; values: FormValues; problems: Problems }> = ({
  title,
  fields,
  values,
  problems,
}) => {
  const changed = fields.filter((field) => isChanged(field, values)).length;
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
          <Input field={field} values={values} problems={problems} />
        ))}
      </div>
    </details>
  );
};

/** Whether the value differs from the default. */
export function isChanged({ name, kind, unit, default: preset }: Field, values: FormValues): boolean {
  if (kind === "switch") return (firstValue(values, name) !== "") !== (preset ?? false);
  if (kind === "choices") return JSON.stringify(values[name] ?? []) !== JSON.stringify(preset);
  const usual = typeof preset === "number" ? writeNumber(preset, unit) : String(preset ?? "");
  return firstValue(values, name) !== "" && firstValue(values, name) !== usual;
}

/** The control of a field with one value. */
function controlOf(field: Field, value: string, described: ReturnType<typeof describedBy>) {
  const { name, kind, unit, choices, example = "", default: preset } = field;
  if (kind === "choice") {
    return (
      <select id={name} name={name} {...described}>
        {preset === undefined ? <option value="">installation default</option> : null}
        {choices.map((choice) => (
          <option value={choice} selected={choice === (value || preset)}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  if (kind === "rules" || kind === "extraction") {
    return (
      <>
        <textarea
          id={name}
          name={name}
          rows={value === "" ? 3 : 12}
          spellcheck={false}
          placeholder={example}
          {...described}
        >
          {value}
        </textarea>
        <p class="small">
          {kind === "rules" ? (
            <a href="/crawls/fields">Choose fields on a page</a>
          ) : (
            <a href="/crawls/values">Try it on a page</a>
          )}
        </p>
      </>
    );
  }
  if (kind === "lines" || kind === "pairs" || kind === "forms") {
    return (
      <textarea id={name} name={name} rows={3} spellcheck={false} placeholder={example} {...described}>
        {value}
      </textarea>
    );
  }
  if (kind === "text" || kind === "date")
    return <input id={name} name={name} type={kind} value={value} {...described} />;
  if (kind === "interval")
    return <input id={name} name={name} type="text" class="short" value={value} placeholder="7d" {...described} />;
  const written = (number: number | undefined) => (number === undefined ? undefined : writeNumber(number, unit));
  const placeholder = written(typeof preset === "number" ? preset : undefined) ?? "";
  if (isWrittenWith(unit))
    return (
      <input id={name} name={name} type="text" class="short" value={value} placeholder={placeholder} {...described} />
    );
  return (
    <input
      id={name}
      name={name}
      type="number"
      min={written(field.min)}
      max={written(field.max)}
      step={kind === "integer" && unit !== "ms" ? "1" : "any"}
      value={value}
      placeholder={placeholder}
      {...described}
    />
  );
}

export const Input: FC<{ field: Field; values: FormValues; problems: Problems }> = ({ field, values, problems }) => {
  const { name, label, kind, choices } = field;
  const help = `${field.text} ${defaultOf(field)}`.trim();
  const value = values[name]?.[0] ?? "";
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
      <FieldGroup name={name} label={label} problems={problems} help={help}>
        {() => (
          <div class="choices">
            {choices.map((choice) => (
              <label class="check">
                <input type="checkbox" name={name} value={choice} checked={values[name]?.includes(choice) ?? false} />
                {choice}
              </label>
            ))}
          </div>
        )}
      </FieldGroup>
    );
  }
  return (
    <FormField name={name} label={label} problems={problems} help={help}>
      {(described) => controlOf(field, value, described)}
    </FormField>
  );
};

/** A sentence on the default, and on the syntax of fields with several lines. */
function defaultOf({ kind, unit, default: preset }: Field): string {
  if (kind === "interval") return "Such as 12h, 7d or 2w. Without it, a crawl ends.";
  if (kind === "lines") return "One per line. Default: none.";
  if (kind === "rules" || kind === "extraction") return "JSON. Default: none.";
  if (kind === "forms") return "One “selector=value,value” per line. Default: none.";
  if (kind === "pairs") return "One “Name: value” per line. Default: none.";
  if (preset === undefined) return "";
  if (kind === "switch") return preset === true ? "Default: on." : "Default: off.";
  if (Array.isArray(preset)) return preset.length === 0 ? "Default: none." : `Default: ${preset.join(", ")}.`;
  if (preset === "" || preset === null) return "Default: none.";
  if (typeof preset !== "number") return `Default: ${String(preset)}.`;
  const such = isWrittenWith(unit) ? ` Such as ${unit === "s" ? "30m or 2h" : "500kB or 2GB"}.` : "";
  return `Default: ${unit === undefined ? count(preset) : writeNumber(preset, unit)}.${such}`;
}
