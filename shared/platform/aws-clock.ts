/** AWS refuses what was signed more than five minutes away from its own time. */
const noticedMs = 4 * 60_000;

/** The time as one store or service has it. Each has its own: none may set another's. */
export class AwsClock {
  #aheadMs = 0;

  now(): Date {
    return new Date(Date.now() + this.#aheadMs);
  }

  /** Takes over the time that an answer tells, if ours is that far off; true if it was, so that the call may be signed anew. */
  learn(told: string | undefined): boolean {
    const atMs = Date.parse(told ?? '');
    if (Number.isNaN(atMs) || Math.abs(atMs - this.now().getTime()) < noticedMs) return false;
    this.#aheadMs = atMs - Date.now();
    return true;
  }
}

/** By what names a call is refused that was signed at another time than AWS has. */
export const isSkewed = (name: string): boolean => skewed.has(name);

const skewed = new Set([
  'InvalidSignatureException',
  'RequestExpired',
  'RequestInTheFuture',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
]);
