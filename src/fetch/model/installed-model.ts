import type { AskModel, ModelQuestion, Tokens } from "../../extract/ask-for-values.ts";
import { askModel, mostTokens } from "./ask-model.ts";
import { type ModelEnv, readModelSettings } from "./model-settings.ts";

/** The model of the installation. */
export interface InstalledModel {
  name: string;
  /** Characters of a page that it sees. */
  characters: number;
  ask: AskModel;
  /** The tokens that a question and its answer take at most; those of the question are an estimate. */
  mostTokens(question: ModelQuestion): Tokens;
}

/** A string says why there is none, for the operator. */
export function installedModel(env: ModelEnv & Pick<Env, "OPEN_NETWORK">): InstalledModel | string {
  const settings = readModelSettings(env);
  if (typeof settings === "string") return settings;
  const { name, characters } = settings;
  return {
    name,
    characters,
    ask: (question) => askModel(question, settings, env),
    mostTokens: (question) => mostTokens(question, settings),
  };
}
