/** A Lambda function of the template, and the error of a failed run. */
import type { Statement } from '../base/types.ts';

export interface FunctionSpec {
  readonly name: string;
  readonly arn: string;
  /** The ARNs of its aliases, which invoke it as well. */
  readonly aliasArns?: readonly string[];
  /** The source file in the template's metadata, such as functions/api/auth.ts. */
  readonly entry: string;
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly concurrency: number | undefined;
  /** The maximum concurrency of its queue trigger, if it has one. */
  readonly fedAtOnce?: number | undefined;
  readonly logGroup: string;
  readonly isTraced: boolean;
  readonly roleArn: string;
  readonly statements: readonly Statement[];
  /** Identifies the function to IAM. */
  readonly accessKeyId: string;
}

/** The error Lambda reports for a failed run. `name` is the error type, which Step Functions matches on. */
export class FunctionError extends Error {
  readonly reason: 'threw' | 'timed-out' | 'crashed' | 'too-large' | 'throttled';

  constructor(reason: FunctionError['reason'], errorType: string, errorMessage: string) {
    super(errorMessage);
    this.name = errorType;
    this.reason = reason;
  }
}

/** Lambda did not take the event, because the account has no concurrency left. */
export const throttled = (): FunctionError => new FunctionError('throttled', 'TooManyRequestsException', 'Rate Exceeded.');

export const isThrottled = (error: unknown): boolean => error instanceof FunctionError && error.reason === 'throttled';
