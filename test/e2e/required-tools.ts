/**
 * What some tests need and a machine may lack. Such a test is skipped with a message. REQUIRE lists, separated by
 * commas, what must be there: then a test that lacks it fails. `.ci/run` sets it.
 */

const TOOLS = {
  browser: "Chromium. Install it, or name its program in CHROMIUM.",
  mounts: "`unshare -rm mount`. The kernel must let this user make mounts.",
  nodes: "programs of other versions of Node, whose paths NODES has, separated by colons.",
  proc: "/proc/self/fd, which Linux has.",
};
type Tool = keyof typeof TOOLS;

/** Returns `isHere`. If it is false, warns that `subject` is not tested, and throws if REQUIRE lists the tool. */
export function hasTool(tool: Tool, isHere: boolean, subject: string, { REQUIRE = "" } = process.env): boolean {
  const required = REQUIRE.split(",").filter((name) => name !== "");
  const misspelt = required.filter((name) => !Object.hasOwn(TOOLS, name));
  if (misspelt.length > 0) throw new Error(`REQUIRE=${REQUIRE}: there is no ${misspelt}, only ${Object.keys(TOOLS)}`);
  if (isHere) return true;
  const message = `*** NO ${tool.toUpperCase()}: ${subject} was NOT tested. It needs ${TOOLS[tool]} ***`;
  if (required.includes(tool)) throw new Error(message);
  console.warn(`\n${message}\n`);
  return false;
}
