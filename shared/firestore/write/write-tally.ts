/** One document that could not be written, and why in the target's words. */
export interface WriteFailure {
  /** Relative to the database. */
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** So many are told one by one; the others are only counted. */
const failuresMax = 100;
const messageMax = 300;

/** What became of the writes given: `written + skipped + failed + open = given` at every moment, and `open` is 0 at the end. */
export class WriteTally {
  given = 0;
  /** Acknowledged by the target; deletes are among them. */
  written = 0;
  deleted = 0;
  /** Left alone because the target has such a document. */
  skipped = 0;
  failed = 0;
  readonly failures: WriteFailure[] = [];

  /** Writes of which it is not known yet what became. */
  get open(): number {
    return this.given - this.written - this.skipped - this.failed;
  }

  fail(path: string, code: string, message: string): void {
    this.failed += 1;
    if (this.failures.length < failuresMax) this.failures.push({ path, code, message: message.slice(0, messageMax) });
  }
}
