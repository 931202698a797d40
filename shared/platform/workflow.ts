/** The only door to Step Functions. */
import { ExecutionAlreadyExists, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { Variable } from '../contract/uses.ts';
import { env } from './env.ts';
import { patience } from './patience.ts';

let opened: SFNClient | undefined;
const client = (): SFNClient => {
  opened ??= new SFNClient(patience);
  return opened;
};

/** Starts a workflow once: a second start under the same name is the same start, however often a task is delivered. */
export const startWorkflow = async (
  workflow: Extract<Variable, `${string}_WORKFLOW_ARN`>,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Promise<void> => {
  try {
    await client().send(new StartExecutionCommand({ stateMachineArn: env(workflow), name, input: JSON.stringify(input) }));
  } catch (error) {
    if (!(error instanceof ExecutionAlreadyExists)) throw error;
  }
};
