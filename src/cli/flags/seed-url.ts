import { hasUserInfo } from "../../url/user-info.ts";
import { withScheme } from "../../url/with-scheme.ts";
import { UserError } from "../errors.ts";

/** URLs that are asked for, as somebody has typed them. */

/** For HTTP's own log-in: the header of a name and a password, as a shell writes it. */
export const BASIC_HEADER = '--header "Authorization: Basic $(printf %s NAME:PASSWORD | base64)"';

/** Completes a URL. Throws UserError for one with a name or a password: they would not be sent. */
export function toSeedUrl(typed: string): string {
  const url = withScheme(typed);
  if (!hasUserInfo(url)) return url;
  throw new UserError(`The name and the password in a URL are not sent. Leave them out, and give ${BASIC_HEADER}.`, 2);
}
