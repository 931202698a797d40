import { ApiFailure, NetworkFailure } from '../../../../shared/client/index.ts';
import { sentence } from './sentence.ts';

interface Problem {
  readonly field: string;
  readonly reason: string;
}

export interface Description {
  readonly message: string;
  /** What to do. */
  readonly advice: string | undefined;
  /** Invalid fields of a request. */
  readonly fields: readonly Problem[];
  readonly requestId: string | undefined;
}

/** What to do about an error, by its code. Codes that are not listed say it in their message. */
const advices: Readonly<Record<string, string>> = {
  UNAUTHORIZED: 'Sign in again.',
  PERMISSION_DENIED: 'Ask an admin or the owner of the organization for a role that may do it.',
  RATE_LIMITED: 'Too many calls. Wait a minute, then try again.',
  CONFLICT: 'Reload the page to see the current state, then try again.',
  JOB_IN_PROGRESS: 'Wait until the running job has ended, or cancel it.',
  SOURCE_AUTH_ERROR: 'Connect it with an account that may read the database, or with the key of a service account.',
  SOURCE_NOT_SUPPORTED: 'Only databases in Native mode that allow the Firestore API can be connected.',
  SOURCE_NOT_FOUND: 'Check the project id and the database id in the Google Cloud console.',
  STORAGE_ERROR: 'Check the bucket, its policy and the credentials of the storage destination.',
  INTERNAL_ERROR: 'Try again. If it happens again, contact support with the request id.',
  SERVICE_UNAVAILABLE: 'Try again in a moment.',
};

/** What to do about an error code; undefined if its message says it. */
export const adviceFor = (code: string): string | undefined => (Object.hasOwn(advices, code) ? advices[code] : undefined);

/** One invalid field is named in the details themselves, several in a list. */
const problemsOf = (details: Readonly<Record<string, unknown>>): readonly Problem[] => {
  const problems = Array.isArray(details.errors) ? (details.errors as Partial<Problem>[]) : [details as Partial<Problem>];
  return problems.filter((problem): problem is Problem => Boolean(problem.field) && typeof problem.reason === 'string');
};

/** Another state of the page helps against a conflict only if its details do not name what stands in the way. */
const adviceOf = ({ code, details, message }: ApiFailure): string | undefined => {
  // Some messages end with it.
  if (/\btry again\b/i.test(message)) return undefined;
  if (code !== 'CONFLICT' || Object.keys(details).length === 0 || 'status' in details) return adviceFor(code);
  return 'pointInTime' in details ? 'Choose another point in time, or a backup.' : undefined;
};

export const describeFailure = (error: unknown): Description => {
  if (error instanceof ApiFailure) {
    const { details, requestId, message } = error;
    return { message, advice: adviceOf(error), fields: problemsOf(details), requestId: requestId ?? undefined };
  }
  if (error instanceof NetworkFailure)
    return {
      message: 'The service cannot be reached.',
      advice: 'Check your connection, then try again.',
      fields: [],
      requestId: undefined,
    };
  return {
    message: error instanceof Error ? error.message : String(error),
    advice: 'Reload the page. If it happens again, contact support.',
    fields: [],
    requestId: undefined,
  };
};

/** A problem of a field, or of one of its entries: a list of addresses names the wrong one, such as `recipients.2`. */
export const isOfField = ({ field: named }: Problem, field: string): boolean =>
  named === field || named.replace(/\.\d+$/, '') === field;

/** The reason for one field of a form; undefined if the error does not name it. */
export const fieldError = (error: unknown, field: string): string | undefined => {
  const problem = error instanceof ApiFailure ? describeFailure(error).fields.find((each) => isOfField(each, field)) : undefined;
  return problem && sentence(problem.reason);
};
