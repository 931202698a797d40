/** The only door to Step Functions. */
import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import type { Variable } from '../contract/uses.ts';
import { env } from './env.ts';
import { patience } from './patience.ts';

let opened: SFNClient | undefined;
const client = (): SFNClient => {
  opened ??= new SFNClient(patience);
  return opened;
};

type Workflow = Extract<Variable, `${string}_WORKFLOW_ARN`>;

/** Starts a workflow once: a second start under the same name is the same start, however often a task is delivered. */
export const startWorkflow = async (
  workflow: Workflow,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Promise<void> => {
  try {
    await client().send(new StartExecutionCommand({ stateMachineArn: env(workflow), name, input: JSON.stringify(input) }));
  } catch (error) {
    if (!(error instanceof ExecutionAlreadyExists)) throw error;
  }
};

const executionArn = (workflow: Workflow, name: string): string =>
  `${env(workflow).replace(':stateMachine:', ':execution:')}:${name}`;

/** Whether an execution goes on, has ended in whatever way, or was never started. */
export const lookAtWorkflow = async (workflow: Workflow, name: string): Promise<'running' | 'ended' | 'unknown'> => {
  try {
    const { status } = await client().send(new DescribeExecutionCommand({ executionArn: executionArn(workflow, name) }));
    return status === 'RUNNING' || status === 'PENDING_REDRIVE' ? 'running' : 'ended';
  } catch (error) {
    if (error instanceof ExecutionDoesNotExist) return 'unknown';
    throw error;
  }
};

/** Ends an execution; one that has ended stays as it is. */
export const stopWorkflow = async (workflow: Workflow, name: string, cause: string): Promise<void> => {
  await client().send(new StopExecutionCommand({ executionArn: executionArn(workflow, name), cause }));
};
