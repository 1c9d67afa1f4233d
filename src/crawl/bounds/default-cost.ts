/**
 * Reads the variable MAX_COST_USD: the cost limit of crawls that set none, in US dollars, 0 for no limit. NaN for what
 * is neither a number nor "none".
 */
export function readDefaultCost(setting = ""): number {
  const text = setting.trim();
  if (text === "" || text === "none") return 0;
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
}
