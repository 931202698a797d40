/** A Lambda function of the template, and how a run of it can end badly. */
import type { Statement } from '../base/types.ts';

export interface FunctionSpec {
  readonly name: string;
  readonly arn: string;
  /** The source file the template names in its metadata, such as functions/api/auth.ts. */
  readonly entry: string;
  /** The export that is the handler. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  /** The most instances the template allows at once. */
  readonly concurrency: number | undefined;
  /** The most batches its queue may give it at once, if one feeds it. */
  readonly fedAtOnce?: number | undefined;
  /** Where the template sends what it prints. */
  readonly logGroup: string;
  readonly isTraced: boolean;
  readonly roleArn: string;
  readonly statements: readonly Statement[];
  /** By this key the IAM front knows the function. */
  readonly accessKeyId: string;
}

/** What Lambda tells a caller of a failed run; `name` is the error type, which Step Functions matches on. */
export class FunctionError extends Error {
  readonly reason: 'threw' | 'timed-out' | 'crashed' | 'too-large';

  constructor(reason: FunctionError['reason'], errorType: string, errorMessage: string) {
    super(errorMessage);
    this.name = errorType;
    this.reason = reason;
  }
}
