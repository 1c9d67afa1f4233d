import type { Node, Swap } from "./find-mutants.ts";

/** The changes of one node of a program. */

/** Operators and names of methods. */
const OPPOSITES = new Map([
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
  ["===", "!=="],
  ["!==", "==="],
  ["+", "-"],
  ["-", "+"],
  ["*", "/"],
  ["/", "*"],
  ["%", "*"],
  ["&&", "||"],
  ["||", "&&"],
  ["++", "--"],
  ["--", "++"],
  ["+=", "-="],
  ["-=", "+="],
  ["min", "max"],
  ["max", "min"],
  ["ceil", "floor"],
  ["floor", "ceil"],
  ["some", "every"],
  ["every", "some"],
  ["startsWith", "endsWith"],
  ["endsWith", "startsWith"],
]);

/** Words of the ledger that are mixed up easily. They stand in quotes, also in SQL. */
export const FLIPPED = new Map([
  ["queued", "pending"],
  ["pending", "queued"],
  ["completed", "errored"],
  ["errored", "completed"],
  ["skipped", "cancelled"],
  ["cancelled", "skipped"],
  ["running", "watching"],
  ["watching", "running"],
  ["paused", "running"],
  ["asset", "page"],
  ["page", "asset"],
]);

/** Calls that a chain can do without. */
const LEFT_OUT = new Set(["filter", "slice", "sort", "toSorted", "reverse", "toReversed", "trim"]);

export function swapsOfNode(node: Node, source: string): Swap[] {
  const text = ({ start, end }: Node) => source.slice(start, end);
  const replace = ({ start, end }: Node, by: string): Swap => ({ start, end, text: by });
  const [left, right, argument, test] = [node.left, node.right, node.argument, node.test] as Node[];
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
    case "AssignmentExpression": {
      if (left === undefined || right === undefined) return [];
      // The compiler refuses the left side alone.
      if (node.operator === "??") return [replace(node, text(right))];
      const by = OPPOSITES.get(String(node.operator));
      if (by === undefined || [left, right].some(isText)) return [];
      const start = source.indexOf(String(node.operator), left.end);
      return [{ start, end: start + String(node.operator).length, text: by }];
    }
    case "UpdateExpression":
      return argument === undefined ? [] : [replace(node, text(argument) + OPPOSITES.get(String(node.operator)))];
    case "UnaryExpression":
      return node.operator === "!" && argument !== undefined ? [replace(node, text(argument))] : [];
    case "IfStatement":
    case "ConditionalExpression":
      return test === undefined ? [] : [replace(test, "true"), replace(test, "false")];
    case "WhileStatement":
      return test === undefined ? [] : [replace(test, "false")];
    case "Literal":
      return swapsOfLiteral(node);
    case "ExpressionStatement":
      return [replace(node, ";")];
    case "BreakStatement":
      return [replace(node, "continue;")];
    case "ContinueStatement":
      return [replace(node, "break;")];
    case "ReturnStatement":
      return argument?.type === "ArrayExpression" && text(argument) !== "[]" ? [replace(argument, "[]")] : [];
    case "CallExpression":
      return swapsOfCall(node);
    default:
      return [];
  }
}

function isText({ type, value }: Node): boolean {
  return type === "TemplateLiteral" || (type === "Literal" && typeof value === "string");
}

function swapsOfLiteral({ start, end, value }: Node): Swap[] {
  if (typeof value === "boolean") return [{ start, end, text: String(!value) }];
  return typeof value === "number" ? neighboursOf(value).map((by) => ({ start, end, text: by })) : [];
}

/** A number that counts is off by one. A larger one is a bound or a time, and tests of it need not be exact. */
export function neighboursOf(value: number): string[] {
  if (value >= 20) return [String(value * 2), String(value / 2)];
  return value >= 1 ? [String(value + 1), String(value - 1)] : [String(value + 1)];
}

function swapsOfCall({ callee, end }: Node): Swap[] {
  const { type, object, property } = callee as Node & { object?: Node; property?: Node };
  if (type !== "MemberExpression" || object === undefined || property === undefined) return [];
  const name = String(property.name);
  const opposite = OPPOSITES.get(name);
  if (opposite !== undefined) return [{ start: property.start, end: property.end, text: opposite }];
  return LEFT_OUT.has(name) ? [{ start: object.end, end, text: "" }] : [];
}
