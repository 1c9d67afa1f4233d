import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiReference } from "./api-reference.ts";

/** `npm run docs:api`: writes docs/api.md anew. A test fails while it is not what this would write. */

writeFileSync(join(import.meta.dirname, "..", "docs", "api.md"), apiReference());
