/** Thrown shortly before Lambda would end the run. Middleware translates it to the response of the trigger. */
export class FunctionTimeoutError extends Error {
  constructor() {
    super('the function timed out');
    this.name = 'FunctionTimeoutError';
  }
}
