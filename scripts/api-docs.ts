import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiReference } from "./api-reference.ts";
import { writeParts } from "./command-docs.ts";

/** `npm run docs:api`: writes docs/api.md and the tables of docs/commands.md. A test fails if they are out of date. */

const DOCS = join(import.meta.dirname, "..", "docs");
const commands = join(DOCS, "commands.md");

writeFileSync(join(DOCS, "api.md"), apiReference());
writeFileSync(commands, writeParts(readFileSync(commands, "utf8")));
