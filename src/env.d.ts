// Bindings that wrangler.toml does not declare: secrets, and what the local command line adds to the same Worker.
interface Env {
  /**
   * Bearer tokens that may do everything, separated by spaces. Without any token the API refuses everything but
   * /health.
   */
  API_TOKEN?: string;
  /** Bearer tokens that may only read, in the same form. */
  READ_TOKEN?: string;
  /** 32 bytes in base64, with which sessions are encrypted (store/installation/seal.ts). Without it none is kept. */
  SESSION_KEY?: string;
  /** "off": requests and wrong tokens are not counted. */
  RATE_LIMITS?: string;
  /**
   * Whether private addresses may be asked. "true": all. "seeds": for each crawl the hosts of its seeds, as on one's
   * own machine. Otherwise none.
   */
  ALLOW_PRIVATE?: string;
  /** On Cloudflare: a binding to one's own network (Workers VPC), for names that exist only there. */
  PRIVATE_NETWORK?: Fetcher;
  /** Connects to public addresses alone. Set locally alone: the global fetch connects to all there. */
  PUBLIC_NETWORK?: Fetcher;
  /**
   * Connects to any address, and by a proxy or without a look at certificates where the operator says so. Set locally
   * alone. Absent: the runtime's own network.
   */
  OPEN_NETWORK?: Fetcher;
  /**
   * A resolver over HTTPS that answers in JSON, such as "https://cloudflare-dns.com/dns-query": hosts are refused whose
   * names resolve to private addresses. Without it they are told by their names alone.
   */
  RESOLVER?: string;
  /**
   * The https address of the installation, at which its key directory stands. With it and a secret IDENTITY_KEY_(time),
   * requests of crawls are signed (fetch/request/identity.ts).
   */
  IDENTITY_ADDRESS?: string;
  /** How Signature-Agent is written: "string", the default, or "dictionary" (fetch/request/sign-request.ts). */
  IDENTITY_FORM?: string;
  /**
   * How the owner of a crawled site reaches the operator: a mail address or a URL. It stands on /about-this-crawler.
   */
  CONTACT?: string;
  /** The cost limit, in US dollars, of crawls that set none; "none", or nothing, for no limit. */
  MAX_COST_USD?: string;
  /**
   * The size at which D1 refuses to grow, such as "500 MB". Default: "10 GB", the paid plan's; on this machine what the
   * disk has room for, if that is less (frontier/batch/database-limit.ts).
   */
  DATABASE_LIMIT?: string;
  /**
   * The model that finds values in pages: the address of a server that speaks OpenAI's chat completions, such as
   * "https://api.openai.com/v1", its key, and the model's name (fetch/model/model-settings.ts).
   */
  MODEL_URL?: string;
  MODEL_KEY?: string;
  MODEL?: string;
  /** JSON: fields of each request to it, which replace ours. */
  MODEL_OPTIONS?: string;
  /** US dollars for a million tokens of its questions and answers, such as "0.4,1.6". */
  MODEL_PRICES?: string;
  /** Characters of a page that it sees at most, and seconds that it may take to answer. */
  MODEL_CHARACTERS?: string;
  MODEL_TIMEOUT_S?: string;
  /** Where the operator is told that the database fills up, by POST: docs/deploying.md. */
  ALARM_WEBHOOK?: string;
  /** Signs what is sent there, as notices of webhooks are. */
  ALARM_SECRET?: string;
  /** The operator's own hosts, separated by spaces: a host, `host:port`, or `*.suffix` (url/own-host.ts). */
  OWN_HOSTS?: string;
  /**
   * Origins, separated by spaces, whose pages may call the API with a token (CORS), such as "https://app.example".
   * Without it, no page of another origin may.
   */
  CORS_ORIGINS?: string;
  /**
   * A clock that begins at another time, runs at another speed, or both, as `START SPEED SINCE` (core/clock.ts). For
   * tests and benches: never set on Cloudflare.
   */
  CLOCK?: string;
  /** Names the process, so that a lease of one that was killed is known to be dead. Set locally alone. */
  BOOT?: string;
  /** Gives lanes of this machine the length of those on Cloudflare. For benches of their price. */
  LONG_LANES?: string;
  /** The number of reader processes. Set locally alone. */
  READERS?: string;
  /**
   * Says what the runtime does not. GET `/disk`: how many bytes are free on the disk of the state folder. POST
   * `{url, addresses}`, and get why its request failed: `{reason, detail}`; it connects to no address but these, null
   * for any. `POST /name` resolves a host name (fetch/transport/host-addresses.ts). `POST /answer` asks for an answer
   * again and reads it leniently (fetch/transport/get-leniently.ts). GET `/location` with a Location header, and get it
   * with its bytes escaped. `POST /fetcher` starts FETCHER_PROCESS, and `POST /fetcher/end` ends it. Set
   * locally alone.
   */
  DIAGNOSIS?: Fetcher;
  /**
   * The page fetcher in a process of its own (src/fetcher.ts), which runs once `POST /fetcher` of DIAGNOSIS has said
   * so. Set locally alone.
   */
  FETCHER_PROCESS?: Fetcher;
  /** It takes pages under any load. For tests. */
  FETCHER_ALWAYS?: string;
  /** The operator's own Worker that decides about URLs and pages: a CrawlHook (crawl/subject/hook.ts). */
  HOOK?: Fetcher;
}
