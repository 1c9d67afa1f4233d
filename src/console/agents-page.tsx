import { Hono } from "hono";
import { Heading, Page, render } from "./layout.tsx";
import type { Console } from "./page-context.ts";
import { Pairs } from "./parts/pairs.tsx";

/** How an agent's client connects to the MCP server of this installation. */

export const agentsPageRoutes = new Hono<Console>();

agentsPageRoutes.get("/agents", (c) => {
  const { origin } = new URL(c.req.url);
  return render(
    c,
    <Page title="Agents" c={c}>
      <Heading title="Agents" />
      <section class="panel">
        <h2>Connect an agent</h2>
        <p>
          An agent can search and read the stored pages, ask what changed and why a URL is missing, and start crawls, by
          the Model Context Protocol (MCP). Put one of these into the settings of its client, with a token of this
          installation in the place of <code>TOKEN</code>.
        </p>
        <Pairs of={clientsOf(`${origin}/mcp`, origin)} />
        <p class="muted small last">
          With a read-only token (<code>READ_TOKEN</code>) the agent reads, and can change nothing. With another token
          the same follows from <code>{origin}/mcp?access=read</code> as the address. Pages may try to give orders to
          the agent, so let your client ask you before it runs a tool that writes.
        </p>
      </section>
    </Page>,
  );
});

/** Names of clients and their settings. */
function clientsOf(address: string, origin: string): Record<string, unknown> {
  const headers = { Authorization: "Bearer TOKEN" };
  const local = {
    command: "orbweaver",
    args: ["mcp", "--remote", origin],
    env: { ORBWEAVER_TOKEN: "TOKEN" },
  };
  return {
    Address: address,
    "Claude Code": `claude mcp add --transport http orbweaver "${address}" --header "Authorization: Bearer TOKEN"`,
    "VS Code, .vscode/mcp.json": { servers: { orbweaver: { type: "http", url: address, headers } } },
    "Cursor, .cursor/mcp.json": { mcpServers: { orbweaver: { url: address, headers } } },
    "Claude Desktop, and clients without HTTP": { mcpServers: { orbweaver: local } },
  };
}
