import { type Context, Hono } from "hono";
import { isNamedOrigin } from "../access/cross-origin.ts";
import { ON_BEHALF } from "../access/private-crawls.ts";
import { refusal } from "../requests/request-problem.ts";
import { askApi } from "./ask-api.ts";
import { mcpQuery } from "./mcp-schemas.ts";

/**
 * /mcp: the tools of the API for agents, by the Model Context Protocol over streamable HTTP, without sessions. It is
 * loaded at the first request, because most isolates never get one.
 */

/** Headers that say who calls. */
const CALLER = ["authorization", "cookie", "sec-fetch-site", "cf-connecting-ip"];
/** The library insists on them. A body that is not JSON is refused all the same. */
const ALWAYS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

type Api = Context<{ Bindings: Env }>;

/** `send`: the API, to which the tools send their requests. */
export function mcpRoutes(send: (request: Request, c: Api) => Promise<Response>) {
  const routes = new Hono<{ Bindings: Env }>();
  const serve = async (c: Api) => {
    const { access = c.var.identity.access } = mcpQuery.parse(c.req.query());
    checkOrigin(c);
    // The lines of the log have the same id.
    const headers = new Headers({ "x-request-id": c.var.requestId, [ON_BEHALF]: "agent" });
    for (const name of CALLER) {
      const value = c.req.header(name);
      if (value !== undefined) headers.set(name, value);
    }
    const api = askApi((request) => send(request, c), new URL(c.req.url).origin, headers);
    const request = new Request(c.req.raw, { headers: { ...c.req.header(), ...ALWAYS } });
    const { serveMcp } = await import("./mcp-server.ts");
    return serveMcp(request, access, api);
  };
  routes.post("/", serve);
  // Clients ask for a stream of the server's own messages. There is none: the answer is 405, which they expect.
  routes.get("/", serve);
  return routes;
}

/**
 * A browser may call only from an origin that the operator named: a page whose host name was pointed at this address
 * would have our own origin
 * (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning).
 */
function checkOrigin(c: Api): void {
  const origin = c.req.header("origin");
  if (origin === undefined || isNamedOrigin(origin, c.env)) return;
  throw refusal(403, "Pages of this origin may not use MCP here: CORS_ORIGINS does not name it.");
}
