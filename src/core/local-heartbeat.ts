/**
 * Where the process that started the Worker on this machine sends it a heartbeat, by POST with the token: no cron comes
 * here. A deployed Worker has no such path.
 */
export const LOCAL_HEARTBEAT = "/local/heartbeat";
