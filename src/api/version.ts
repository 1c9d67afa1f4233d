export { VERSION } from "../core/version.ts";
