import type { FC } from "hono/jsx";
import type { RouteText, ShapeText } from "../../api/docs/describe-route.ts";
import { boundsOf, defaultOf, type FieldRow, linkTo, typeOf } from "../../api/docs/schema-rows.ts";
import { Inline } from "./inline-markdown.tsx";

/** A route of the API, and a shape of its requests and answers, as sections of the page /docs. */

export const DOCS_PATH = "/docs";

export const RouteSection: FC<{ of: RouteText }> = ({ of }) => {
  const { anchor, summary, route, notes, parameters, body, curl, answers } = of;
  const { status, says, type, refused, fields } = answers;
  const [method = "", path = ""] = route.split(" ", 2);
  return (
    <article class="panel route" id={anchor}>
      <h3>
        <a href={`${DOCS_PATH}#${anchor}`}>{summary}</a>
      </h3>
      <p class="path">
        <span class="tag">{method}</span> <code>{path}</code>
      </p>
      {notes.length > 0 && (
        <p>
          <Text>{notes.join(" ")}</Text>
        </p>
      )}
      {parameters.length > 0 && (
        <>
          <h4>Parameters</h4>
          <Fields rows={parameters} placeOf={({ name }) => parameters.find((row) => row.name === name)?.place ?? ""} />
        </>
      )}
      {body !== null && (
        <p>
          Body: <Text>{"shape" in body ? linkTo(body.shape) : `\`${body.type}\``}</Text>
        </p>
      )}
      <pre class="curl" data-copy={`Copy the example of “${summary}”`}>
        {curl}
      </pre>
      <h4>Answer</h4>
      <p>
        <strong>{status}</strong>: <Text>{says + (type === null ? "" : ` ${type}.`)}</Text>
        {refused.length > 0 && ` Refused with ${refused.join(", ")}.`}
      </p>
      <Fields rows={fields} />
    </article>
  );
};

export const ShapeSection: FC<{ of: ShapeText }> = ({ of: { name, isRequest, base, fields } }) => (
  <article class="panel route" id={name.toLowerCase()}>
    <h3>
      <a href={`${DOCS_PATH}#${name.toLowerCase()}`}>{name}</a>
    </h3>
    {base !== null && (
      <p>
        All of <Text>{linkTo(base)}</Text>, and
      </p>
    )}
    <Fields rows={fields} {...(isRequest ? { placeOf: () => null } : {})} />
  </article>
);

interface FieldsProps {
  rows: readonly FieldRow[];
  /** For fields of a request: where it stands, such as "query"; null in a body. */
  placeOf?: (row: FieldRow) => string | null;
}

const Fields: FC<FieldsProps> = ({ rows, placeOf }) =>
  rows.length === 0 ? null : (
    <dl class="schema">
      {rows.map((row) => (
        <div>
          <dt>
            <code>{row.name}</code>{" "}
            <span class="muted small">
              <Text>
                {[placeOf?.(row), typeOf(row.schema), ...limitsOf(row, placeOf !== undefined)]
                  .filter(Boolean)
                  .join(" · ")}
              </Text>
            </span>
          </dt>
          {row.schema.description !== undefined && row.schema.description !== "" && (
            <dd>
              <Text>{row.schema.description}</Text>
            </dd>
          )}
        </div>
      ))}
    </dl>
  );

/** The bounds and the default of what is sent; whether a field of an answer may be missing. */
function limitsOf({ schema, required }: FieldRow, isSent: boolean): string[] {
  if (!isSent) return required ? [] : ["may be missing"];
  const value = defaultOf(schema);
  return [boundsOf(schema), required ? "**required**" : value === "" ? "" : `default ${value}`];
}

const Text: FC<{ children?: string | string[] }> = ({ children = "" }) => (
  <Inline text={[children].flat().join("")} base={DOCS_PATH} />
);
