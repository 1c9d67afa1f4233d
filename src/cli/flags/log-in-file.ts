import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { UserError } from "../errors.ts";
import { parseJson, readText } from "./fields-file.ts";

/** The file of `--login`: steps as JSON. The values of the secrets that they name come from elsewhere. */

/** A log-in as the API takes it, which checks it. */
export interface RequestedLogIn {
  steps: unknown[];
  hosts?: unknown;
}

const SHAPE =
  'It is an object with "steps", such as [{"open": "https://wiki.example/login"}, {"fill": "#user", "with": "WIKI_USER"}, {"click": "button"}]: docs/sessions.md';

/** Throws UserError. */
export function readLogInFile(file: string): RequestedLogIn {
  const parsed = parseJson("--login", readText("--login", file), file) as Partial<RequestedLogIn> | unknown[] | null;
  if (Array.isArray(parsed)) return { steps: parsed };
  if (typeof parsed !== "object" || parsed === null || !Array.isArray(parsed.steps))
    throw new UserError(`${file} has no steps. ${SHAPE}.`, 2);
  if ("secrets" in parsed)
    throw new UserError(
      `${file} has secrets, which must not stand in it. Leave them out: steps name them by "with".`,
      2,
    );
  return parsed as RequestedLogIn;
}

/** The names of the secrets that the steps need, in their order. */
export function namedSecrets({ steps }: RequestedLogIn): string[] {
  const names = steps.flatMap((step) => {
    const name = typeof step === "object" && step !== null && "with" in step ? step.with : null;
    return typeof name === "string" ? [name] : [];
  });
  return [...new Set(names)];
}

export type SecretSources = {
  /** A file of lines NAME=VALUE; absent for none. */
  file?: string | undefined;
  env: NodeJS.ProcessEnv;
  /** Asks a person; null without a terminal. */
  ask: ((name: string) => Promise<string>) | null;
};

/** The values of secrets: of the file, of the environment, or of the person at the terminal. Throws UserError. */
export async function readSecretValues(
  names: readonly string[],
  { file, env, ask }: SecretSources,
): Promise<Record<string, string>> {
  const listed = file === undefined ? new Map<string, string>() : readSecretFile(file);
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = listed.get(name) ?? env[name] ?? (await ask?.(name)) ?? "";
    if (value === "")
      throw new UserError(
        `The log-in needs ${name}. Set it in the environment, or as a line ${name}=VALUE of --secret-file FILE.`,
        2,
      );
    values[name] = value;
  }
  return values;
}

/** A value is taken as it stands, but for quotes around it. */
function readSecretFile(file: string): Map<string, string> {
  const lines = readText("--secret-file", file)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line, i) => {
      const [, name, value] = /^\s*([A-Za-z_][\w.-]*)\s*=(.*)$/s.exec(line) ?? [];
      if (name === undefined || value === undefined)
        throw new UserError(`${file}: line ${i + 1} of its lines is no NAME=VALUE.`, 2);
      return [name, value.replace(/^(["'])(.*)\1$/s, "$2")];
    }),
  );
}

/** Asks at a terminal, which does not show what is typed. Null without one. */
export function terminalAsker({ stdin, stderr }: Pick<NodeJS.Process, "stdin" | "stderr">): SecretSources["ask"] {
  if (!stdin.isTTY) return null;
  return async (name) => {
    stderr.write(`${name}: `);
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const terminal = createInterface({ input: stdin, output: silent, terminal: true });
    const answer = await new Promise<string>((resolve) => {
      terminal.once("close", () => resolve(""));
      terminal.question("", resolve);
    });
    terminal.close();
    stderr.write("\n");
    return answer;
  };
}
