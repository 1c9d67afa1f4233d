import { type DiagnosisRequest, serveDiagnosis } from "../../installation/diagnosis.ts";
import type { NodeNetwork } from "./node-network.ts";
import { ProxySettings } from "./proxy-settings.ts";

/** Opens the network of Node where the one of workerd does not do, and says why its requests fail. */

/** Null if no proxy is set and every certificate is checked. Throws UserError. */
export async function openNodeNetwork(
  insecure: readonly string[],
  env: NodeJS.Dict<string> = process.env,
): Promise<NodeNetwork | null> {
  const proxies = new ProxySettings(env);
  if (proxies.isEmpty && insecure.length === 0) return null;
  // Loaded here: an import of node:http also loads all of `fetch`, which takes a twentieth of a start.
  const { NodeNetwork } = await import("./node-network.ts");
  const network = new NodeNetwork(proxies, insecure);
  await network.listen();
  return network;
}

/** Like `serveDiagnosis`. The network knows why a request failed: another try, without the proxy, would say less. */
export async function diagnoseByNode(
  request: DiagnosisRequest,
  network: NodeNetwork,
  state: string,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/disk" || pathname === "/location" || pathname === "/text") return serveDiagnosis(request, state);
  const body = await request.text();
  if (pathname === "/name") {
    if (network.isResolvedByProxy(body)) return Response.json({ kind: "unanswered", why: "the proxy resolves it" });
    return serveDiagnosis({ url: request.url, headers: request.headers, text: async () => body }, state);
  }
  const failure = network.failureOf((JSON.parse(body) as { url: string }).url);
  if (pathname !== "/answer") return Response.json(failure);
  // Node has read the answer leniently already.
  const { reason, detail } = failure ?? { reason: "parse", detail: "the answer is no HTTP" };
  return new Response(`${JSON.stringify({ unreadable: reason, detail })}\n`);
}
