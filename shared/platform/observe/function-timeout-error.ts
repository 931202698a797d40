/** Thrown shortly before Lambda would end the run without a word. Middleware turns it into the answer that fits the trigger. */
export class FunctionTimeoutError extends Error {
  constructor() {
    super('the function ran out of time');
    this.name = 'FunctionTimeoutError';
  }
}
