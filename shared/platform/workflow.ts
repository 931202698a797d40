/** The only door to Step Functions. */
import type { Variable } from '../contract/uses.ts';
import { isRefusal } from './aws-error.ts';
import { jsonCall } from './aws-json.ts';
import { env } from './env.ts';

type Workflow = Extract<Variable, `${string}_WORKFLOW_ARN`>;

/** Starts a workflow once: a second start under the same name is the same start, however often a task is delivered. */
export const startWorkflow = async (
  workflow: Workflow,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Promise<void> => {
  try {
    await jsonCall('states', 'StartExecution', { stateMachineArn: env(workflow), name, input: JSON.stringify(input) });
  } catch (error) {
    if (!isRefusal(error, 'ExecutionAlreadyExists')) throw error;
  }
};

const executionArn = (workflow: Workflow, name: string): string =>
  `${env(workflow).replace(':stateMachine:', ':execution:')}:${name}`;

/** Whether an execution goes on, has ended in whatever way, or was never started. */
export const lookAtWorkflow = async (workflow: Workflow, name: string): Promise<'running' | 'ended' | 'unknown'> => {
  try {
    const asked = { executionArn: executionArn(workflow, name) };
    const { status } = await jsonCall<{ status: string }>('states', 'DescribeExecution', asked);
    return status === 'RUNNING' || status === 'PENDING_REDRIVE' ? 'running' : 'ended';
  } catch (error) {
    if (isRefusal(error, 'ExecutionDoesNotExist')) return 'unknown';
    throw error;
  }
};

/** Ends an execution; one that has ended stays as it is. */
export const stopWorkflow = async (workflow: Workflow, name: string, cause: string): Promise<void> => {
  await jsonCall('states', 'StopExecution', { executionArn: executionArn(workflow, name), cause });
};
