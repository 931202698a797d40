/** An error response of the Identity Toolkit. */
export class AuthError extends Error {
  readonly httpStatus: number;

  constructor(httpStatus: number, message: string) {
    super(message);
    this.name = 'AuthError';
    this.httpStatus = httpStatus;
  }

  get body() {
    const { httpStatus, message } = this;
    return { error: { code: httpStatus, message, errors: [{ message, domain: 'global', reason: 'invalid' }] } };
  }
}
