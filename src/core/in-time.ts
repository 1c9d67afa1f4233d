/** Waits for an event for so many milliseconds of real time. Throws `late()` if it comes later. */
export async function inTime<T>(event: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const tooLate = Promise.withResolvers<never>();
  const timer = setTimeout(() => tooLate.reject(late()), ms);
  try {
    return await Promise.race([event, tooLate.promise]);
  } finally {
    clearTimeout(timer);
  }
}
