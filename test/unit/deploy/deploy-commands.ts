/** The commands of wrangler that a deploy runs. */

export const FIRST_RUN = [
  "whoami --json",
  "queues list",
  "queues create orbweaver-frontier",
  "queues create orbweaver-notices",
  "queues create orbweaver-documents",
  "queues create orbweaver-dead-letter",
  "d1 list --json",
  "d1 create orbweaver",
  "r2 bucket list",
  "r2 bucket create orbweaver-mirror",
  "d1 migrations apply orbweaver --remote",
  "deploy --name orbweaver-reader --config wrangler.reader.toml",
  "deploy",
  "secret list",
  "secret put SESSION_KEY",
  "secret list",
  "secret put API_TOKEN",
];
export const LATER_RUN = FIRST_RUN.filter((command) => !/ (create|put) /.test(command));
