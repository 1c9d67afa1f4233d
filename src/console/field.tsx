import type { Child, FC } from "hono/jsx";

/** A field of a form, with its label, its help, and what is wrong with it. */

/** What is wrong, by the field that it is beside; under "" what is of none. */
export type Problems = Record<string, string[]>;

interface BesideProps {
  name: string;
  label: string;
  help?: string;
  problems: Problems;
  /** Given what ties the input to its help and its problem. */
  children: (described: Record<string, string>) => Child;
}

export function Beside({ name, label, help, problems, children }: BesideProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {children(describedBy(name, help, problems))}
      <Problem name={name} problems={problems} />
      <Help name={name} text={help} />
    </div>
  );
}

/** Several inputs with a name in common. */
export function BesideAll({ name, label, help, problems, children }: BesideProps) {
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
