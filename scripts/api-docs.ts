import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiReference } from "./api-reference.ts";

/** `npm run docs:api`: writes docs/api.md. A test fails if the file is out of date. */

writeFileSync(join(import.meta.dirname, "..", "docs", "api.md"), apiReference());
