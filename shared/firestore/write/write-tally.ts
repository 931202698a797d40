/** A document that could not be written, with the reason of the target. */
export interface WriteFailure {
  /** Path relative to the documents root. */
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** Failures listed individually; the others are only counted. */
const failuresMax = 100;
const messageMax = 300;

/** Outcome of all writes: `written + skipped + failed + open = given` at all times, and `open` is 0 at the end. */
export class WriteTally {
  given = 0;
  /** Acknowledged by the target, including deletes. */
  written = 0;
  deleted = 0;
  /** Skipped because the document exists. */
  skipped = 0;
  failed = 0;
  readonly failures: WriteFailure[] = [];

  /** Writes with unknown outcome. */
  get open(): number {
    return this.given - this.written - this.skipped - this.failed;
  }

  fail(path: string, code: string, message: string): void {
    this.failed += 1;
    if (this.failures.length < failuresMax) this.failures.push({ path, code, message: message.slice(0, messageMax) });
  }
}
