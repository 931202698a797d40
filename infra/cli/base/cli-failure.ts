/** Failures of the command: an exit code and one line without secrets. */
import { ApiFailure, NetworkFailure } from '../../../shared/client/index.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly exitCode: ExitCode;
  /** How the command is called, if that was wrong. */
  usage?: string;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

export const badInput = (message: string, cause?: unknown): CliFailure =>
  new CliFailure(exitCodes.badInput, message, cause === undefined ? undefined : { cause });

/** Of a command that changes only what its options name. */
export const refuseIfUnchanged = (changes: Readonly<Record<string, unknown>>): void => {
  if (Object.values(changes).every((value) => value === undefined))
    throw badInput('nothing to change: add an option; see --help');
};

/** Converts any error of a command. */
export const cliFailureOf = (error: unknown): CliFailure => {
  if (error instanceof CliFailure) return error;
  if (error instanceof ApiFailure) return new CliFailure(exitCodeOf(error), describe(error), { cause: error });
  if (error instanceof NetworkFailure)
    return new CliFailure(exitCodes.unreachable, `no response from the service: ${error.message}`, { cause: error });
  const { code, message } = error as NodeJS.ErrnoException;
  return new CliFailure(exitCodes.failed, `${message ?? code ?? error}`, { cause: error });
};

/** A 401 for an API key: signing in would not help. */
export const keyRefused = (error: ApiFailure): CliFailure =>
  new CliFailure(exitCodes.denied, `the API key was refused: ${error.message} (${error.requestId ?? error.code})`, {
    cause: error,
  });

const exitCodeOf = ({ status }: ApiFailure): ExitCode => {
  if (status === 400 || status === 413) return exitCodes.badInput;
  if (status === 401 || status === 403) return exitCodes.denied;
  if (status === 404) return exitCodes.notFound;
  return status === 429 || status >= 500 ? exitCodes.unreachable : exitCodes.failed;
};

/** The service's message, the field or names it is about, and the id under which the service logged the call. */
const describe = ({ status, code, message, details, requestId, retryAfter }: ApiFailure): string => {
  const hint = status === 401 ? '; sign in with bms login' : '';
  const wait = retryAfter === null ? '' : `; try again in ${retryAfter} s`;
  const values = Array.isArray(details.allowedValues) ? details.allowedValues.join(', ') : '';
  const allowed = values === '' || message.includes(values) ? '' : `; allowed: ${values}`;
  const request = requestId === null ? '' : `, request ${requestId}`;
  return `${message}${allowed}${wait}${hint} (${code}${request})`;
};
