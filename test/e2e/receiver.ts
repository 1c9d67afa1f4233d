import type { ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks"; // the official library: what receivers use
import { type Site, type SiteOptions, startSite } from "../sites/site.ts";

/** A receiver of notices on loopback. It refuses what the official library does not accept. */

export interface ReceivedNotice {
  id: string;
  type: string;
  data: Record<string, unknown>;
}

export interface Receiver extends Site {
  url: string;
  /** Notices with a good signature, in order. */
  notices: ReceivedNotice[];
  /** How many had none. */
  refused: number;
}

/** 32 bytes. */
export const SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

/** `answer` gets the number of the notice, from 0; by default each is answered 204. */
export async function startReceiver(
  answer: (response: ServerResponse, nth: number) => void = (response) => response.writeHead(204).end(),
  options: SiteOptions = {},
): Promise<Receiver> {
  const notices: ReceivedNotice[] = [];
  const verifier = new Webhook(SECRET);
  const site = await startSite(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = request.headers as Record<string, string>;
    try {
      const { type, data } = verifier.verify(Buffer.concat(chunks).toString(), headers) as Omit<ReceivedNotice, "id">;
      notices.push({ id: headers["webhook-id"] ?? "", type, data });
    } catch (error) {
      receiver.refused += 1;
      response.writeHead(401).end(String(error));
      return;
    }
    answer(response, notices.length - 1);
  }, options);
  const receiver: Receiver = Object.assign(site, { url: `${site.origin}/hook`, notices, refused: 0 });
  return receiver;
}
