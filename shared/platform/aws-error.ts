/** What a service of AWS refused, under the name that the service gave it. */
export class AwsError extends Error {
  readonly status: number;
  readonly #details: Readonly<Record<string, unknown>>;

  constructor(name: string, message: string, status: number, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = name;
    this.status = status;
    this.#details = details;
  }

  /** What else the answer said; not listed with the error, because errors are logged and it may hold an item. */
  get details(): Readonly<Record<string, unknown>> {
    return this.#details;
  }
}
