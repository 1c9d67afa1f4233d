import { OPTION_ROWS } from "../../crawl/options/option-table.ts";
import type { Mistake } from "../errors.ts";
import { longName } from "./flag-help.ts";
import { flagOfWebhook } from "./webhook-flags.ts";

/** Refusals of the API name options as its requests do. People gave flags. */

const FLAGS = new Map([
  ...OPTION_ROWS.flatMap(([path, row]) => {
    const flag = longName(row);
    // fields-file.ts names the line of a file of rules. A flag without a value cannot be wrong, and `formats` is also
    // what records are asked for, by another flag.
    const isSure = flag !== "" && row.kind !== "rules" && row.kind !== "extraction" && row.flagValue === undefined;
    return isSure ? [[path as string, flag] as const] : [];
  }),
  // Two options that one flag has.
  ["renderOptions.viewport.width", "--viewport"],
  ["renderOptions.viewport.height", "--viewport"],
]);
/** A path at the begin of a problem, within what a request may hold, with the place in a list or the name in a map. */
const PATH = /(^|; )(?:(?:crawl|request)\.)?((?:[A-Za-z]\w*\.)*[A-Za-z]\w*)((?:\.\d+)?): /g;
/** Mistakes in an object of a webhook: the API names the object first. */
const IN_WEBHOOK = /(^|; )(?:webhook: )?([A-Za-z]+)(?:\.[^:;]*)?: /g;

/** One mistake of a refusal, with its flag in place of its path. */
export function nameMistake({ message, path }: Mistake): string {
  const parameter = path?.replace(/^(?:crawl|request)\./, "") ?? "";
  // What is wrong within it stands in the message.
  if (parameter === "webhook" && message.startsWith("webhook: "))
    return message.replace(IN_WEBHOOK, (whole, before: string, name: string) => {
      const flag = flagOfWebhook(name);
      return flag === undefined ? whole : `${before}${flag}: `;
    });
  const named = nameFlags(message);
  const flag = flagAt(parameter);
  if (flag === undefined || named.startsWith(flag)) return named;
  const plain = message.startsWith(`${path}: `) ? message.slice((path ?? "").length + 2) : message;
  return `${flag}: ${plain}`;
}

/** The problems of a refusal, joined by "; ", with flags in place of paths. */
export function nameFlags(problems: string): string {
  return problems.replace(PATH, (whole, before: string, path: string) => {
    const flag = FLAGS.get(path) ?? FLAGS.get(path.replace(/^options\./, ""));
    return flag === undefined ? whole : `${before}${flag}: `;
  });
}

/** The flag of a parameter, or of the one that holds it: `headers.X-A` is `--header`, `webhook.to.0` is `--mail-to`. */
function flagAt(path: string): string | undefined {
  const [first = "", second = ""] = path.split(".");
  if (first === "webhook" && second !== "") return flagOfWebhook(second);
  return FLAGS.get(path) ?? FLAGS.get(path.replace(/\.\d+$/, "")) ?? FLAGS.get(first);
}
