import type { CloudFormation } from '../../../deploy/cloudformation-client.ts';
import { type Ending, followStack, lastEventAt } from '../../../deploy/follow-stack.ts';
import { CliFailure } from '../../base/cli-failure.ts';
import { exitCodes } from '../../base/exit-codes.ts';
import type { Context } from '../../context/context.ts';
import { ResourceProgress } from './resource-progress.ts';

interface StackChange {
  readonly stackId: string;
  /** How many resources it concerns. */
  readonly count: number;
  readonly start: () => Promise<unknown>;
  /** The status of the stack once all is done. */
  readonly isDone: RegExp;
  readonly failed: (status: string) => string;
}

/** Starts a change of a stack and shows its progress; throws if it ends otherwise than wanted, after the reasons are shown. */
export const followChange = async (
  context: Context,
  client: CloudFormation,
  { stackId, count, start, isDone, failed }: StackChange,
): Promise<Ending> => {
  const since = await lastEventAt(client, stackId);
  await start();
  const progress = new ResourceProgress(context, count);
  const outcome = await followStack(client, {
    stackId,
    since,
    signal: context.signal,
    onResource: (event) => progress.add(event),
  }).finally(() => progress.end());
  if (isDone.test(outcome.status)) return outcome;
  for (const failure of outcome.failures) context.output.warn(failure);
  throw new CliFailure(exitCodes.failed, `${failed(outcome.status)}; the reasons are above`);
};
