export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Real time from one heartbeat to the next (wrangler.toml). */
export const BEAT_MS = MINUTE_MS;
/** This heartbeat sends all that is due within this time: the next one may be late. */
export const BEFORE_NEXT_BEAT_MS = BEAT_MS + 5_000;

/**
 * The clock of the installation. All other code reads the time and waits through it, so a test or a bench
 * controls the time.
 *
 * This clock counts the times of hosts, calendars and people: pace, back-off, schedules, ages. Timeouts, leases and the
 * duration of a fetch are real time at any speed of the clock, because a real server answers in real time.
 */
export interface Clock {
  /** Whole milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds of this clock; at once when `ms` is zero or less. */
  sleep(ms: number): Promise<void>;
  /** Milliseconds of this clock that pass in one real millisecond. */
  readonly speed: number;
}

/** At the real time `sinceMs` the clock shows `startMs`; from then on it runs `speed` times as fast as real time. */
interface ClockSetting {
  startMs: number;
  speed: number;
  sinceMs: number;
}

/**
 * Reads `START SPEED SINCE`: two ISO 8601 times with a number above zero between them, such as
 * "2030-01-01T00:00:00Z 1000 2026-11-22T09:30:00Z". Throws RangeError for anything else.
 */
export function parseClockSetting(text: string): ClockSetting {
  const [start = "", factor = "", since = "", ...rest] = text.split(" ");
  const setting = { startMs: Date.parse(start), speed: Number(factor), sinceMs: Date.parse(since) };
  const isValid = Object.values(setting).every(Number.isFinite) && setting.speed > 0 && rest.length === 0;
  if (!isValid) throw new RangeError(`CLOCK is "${text}", which is not START SPEED SINCE`);
  return setting;
}

/** The clock's time at a real time. */
export function clockTimeAt({ startMs, speed, sinceMs }: ClockSetting, realMs: number): number {
  return Math.floor(startMs + (realMs - sinceMs) * speed);
}

function createClock(setting: ClockSetting): Clock {
  const { speed } = setting;
  return {
    now: () => clockTimeAt(setting, Date.now()),
    // Rounded up: a timer cuts fractions off, and a pace is never shortened.
    sleep: (ms) => (ms > 0 ? new Promise((resolve) => setTimeout(resolve, Math.ceil(ms / speed))) : Promise.resolve()),
    speed,
  };
}

/** Real time. */
export const systemClock = createClock({ startMs: 0, speed: 1, sinceMs: 0 });

/** The clock of an installation: the one that its `CLOCK` describes, or else the system's. */
export function clockOf({ CLOCK }: { CLOCK?: string }): Clock {
  return CLOCK === undefined ? systemClock : createClock(parseClockSetting(CLOCK));
}
