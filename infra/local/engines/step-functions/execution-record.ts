/** A stored execution and its representation in the API. */
import type { Json } from '../../base/aws-service.ts';

export interface Outcome {
  readonly status: 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';
  readonly output?: string;
  readonly error?: string;
  readonly cause?: string;
}

export interface ExecutionRecord extends Omit<Outcome, 'status'> {
  readonly arn: string;
  readonly machineArn: string;
  readonly name: string;
  readonly input: string;
  readonly status: 'RUNNING' | Outcome['status'];
  readonly startedAtMs: number;
  readonly stoppedAtMs?: number;
}

export const describeExecution = ({ input, output, error, cause, ...execution }: ExecutionRecord): Json => ({
  ...summary({ input, ...execution }),
  input,
  output,
  error,
  cause,
});

const summary = ({ arn, machineArn, name, status, startedAtMs, stoppedAtMs }: ExecutionRecord): Json => ({
  executionArn: arn,
  stateMachineArn: machineArn,
  name,
  status,
  startDate: startedAtMs / 1_000,
  ...(stoppedAtMs !== undefined && { stopDate: stoppedAtMs / 1_000 }),
});

/** Newest first. */
export const listExecutions = (all: readonly ExecutionRecord[], input: Json): Json => {
  const from = Number(input.nextToken ?? 0);
  const limit = Number(input.maxResults ?? 100);
  const chosen = all
    .filter(({ machineArn, status }) => machineArn === input.stateMachineArn && (input.statusFilter ?? status) === status)
    .toReversed();
  return {
    executions: chosen.slice(from, from + limit).map(summary),
    ...(chosen.length > from + limit && { nextToken: String(from + limit) }),
  };
};
