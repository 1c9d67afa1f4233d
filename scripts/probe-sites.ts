import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Sites on loopback for a probe of an Orbweaver on this machine: 25 hosts, of which seven never answer for a page. */

export interface ProbeSites {
  fast: string[];
  silent: string[];
  close(): void;
}

const HOSTS = 25;
const SILENT = 7;
const PAGES = 5;

export async function startProbeSites(): Promise<ProbeSites> {
  const isSilent = (at: number) => at < SILENT;
  const servers = await Promise.all(
    Array.from({ length: HOSTS }, (_, at) => listen(serve(isSilent(at)), `127.0.0.${at + 2}`)),
  );
  const urls = servers.map((server) => {
    const { address, port } = server.address() as AddressInfo;
    return `http://${address}:${port}/`;
  });
  return {
    silent: urls.filter((_, at) => isSilent(at)),
    fast: urls.filter((_, at) => !isSilent(at)),
    close: () => {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

function serve(isSilent: boolean): Server {
  const links = Array.from({ length: PAGES - 1 }, (_, page) => `<a href="/${page + 1}">${page + 1}</a>`).join(" ");
  return createServer(({ url, headers: { host } }, response) => {
    if (url === "/robots.txt") response.writeHead(404).end();
    else if (!isSilent)
      response.writeHead(200, { "content-type": "text/html" }).end(`<title>${host}${url}</title>${links}`);
  });
}

function listen(server: Server, host: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, () => resolve(server));
  });
}
