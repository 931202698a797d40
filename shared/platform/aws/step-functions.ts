/** Starts, describes and stops executions of Step Functions workflows. */
import { DescribeExecutionCommand, SFNClient, StartExecutionCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import type { Variable } from '../../contract/capabilities.ts';
import { callAws } from '../aws-client/call-aws.ts';
import { isAwsError } from '../aws-client/is-aws-error.ts';
import { sdkConfig } from '../aws-client/sdk-config.ts';
import { env } from '../env.ts';
import { warm } from '../warm.ts';

const client = warm(() => new SFNClient(sdkConfig));

type Workflow = Extract<Variable, `${string}_WORKFLOW_ARN`>;

/** Starts a workflow. Idempotent: a second start with the same name does nothing, however often a task is delivered. */
export const startWorkflow = async (
  workflow: Workflow,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const command = new StartExecutionCommand({ stateMachineArn: env(workflow), name, input: JSON.stringify(input) });
  try {
    await callAws((options) => client().send(command, options));
  } catch (error) {
    if (!isAwsError(error, 'ExecutionAlreadyExists')) throw error;
  }
};

const executionArn = (workflow: Workflow, name: string): string =>
  `${env(workflow).replace(':stateMachine:', ':execution:')}:${name}`;

/**
 * Whether an execution is running, has ended with any result, or was never started. `cut-off`: no step of it failed, but it was
 * stopped, or Step Functions ended it at the limit of its history.
 */
export type ExecutionState = 'running' | 'ended' | 'cut-off' | 'unknown';

export const describeExecution = async (workflow: Workflow, name: string): Promise<ExecutionState> => {
  const command = new DescribeExecutionCommand({ executionArn: executionArn(workflow, name) });
  try {
    const { status, error } = await callAws((options) => client().send(command, options));
    if (status === 'RUNNING' || status === 'PENDING_REDRIVE') return 'running';
    return status === 'ABORTED' || (status === 'FAILED' && error === 'States.Runtime') ? 'cut-off' : 'ended';
  } catch (error) {
    if (isAwsError(error, 'ExecutionDoesNotExist')) return 'unknown';
    throw error;
  }
};

/** Stops an execution. One that has ended stays unchanged. */
export const stopWorkflow = async (workflow: Workflow, name: string, cause: string): Promise<void> => {
  const command = new StopExecutionCommand({ executionArn: executionArn(workflow, name), cause });
  await callAws((options) => client().send(command, options));
};
