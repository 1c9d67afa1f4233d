import type { Child, FC } from "hono/jsx";

/** A form field with its label, its help text and its problems. */

/** Messages by field name; "" holds those that belong to no field. */
export type Problems = Record<string, string[]>;

interface FieldProps {
  name: string;
  label: string;
  help?: string;
  problems: Problems;
  /** Renders the input. `described` holds the ARIA attributes that link it to its help text and its problem. */
  children: (described: Record<string, string>) => Child;
}

export function FormField({ name, label, help, problems, children }: FieldProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {children(describedBy(name, help, problems))}
      <Problem name={name} problems={problems} />
      <Help name={name} text={help} />
    </div>
  );
}

/** Several inputs under one label. */
export function FieldGroup({ name, label, help, problems, children }: FieldProps) {
  return (
    <fieldset class="field" id={name} {...describedBy(name, help, problems)}>
      <legend>{label}</legend>
      {children({})}
      <Problem name={name} problems={problems} />
      <Help name={name} text={help} />
    </fieldset>
  );
}

export function describedBy(name: string, help: string | undefined, problems: Problems): Record<string, string> {
  const isWrong = problems[name] !== undefined;
  const by = [...(isWrong ? [`${name}-problem`] : []), ...(help === undefined ? [] : [`${name}-help`])];
  return {
    ...(by.length === 0 ? {} : { "aria-describedby": by.join(" ") }),
    ...(isWrong ? { "aria-invalid": "true" } : {}),
  };
}

export const Help: FC<{ name: string; text: string | undefined }> = ({ name, text }) =>
  text === undefined ? null : (
    <p class="help" id={`${name}-help`}>
      {text}
    </p>
  );

const Problem: FC<{ name: string; problems: Problems }> = ({ name, problems }) => {
  const sentences = problems[name];
  if (sentences === undefined) return null;
  return (
    <p class="problem" id={`${name}-problem`}>
      {sentences.join(" ")}
    </p>
  );
};
