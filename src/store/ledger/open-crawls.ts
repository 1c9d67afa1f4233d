import { OPEN_STATUSES } from "../../crawl/page/status.ts";

/** Of a column with the status of a crawl: it goes on, or may go on. `NOT IN_OPEN` is the opposite. */
export const IN_OPEN = `IN (${OPEN_STATUSES.map((status) => `'${status}'`).join(", ")})`;
