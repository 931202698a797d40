import type { Construct } from 'constructs';
import { ApiStack } from './api-stack.ts';
import type { Config } from './config.ts';
import { DataStack } from './data-stack.ts';
import { EngineStack } from './engine-stack.ts';
import { FurtherRoutesStack } from './further-routes-stack.ts';
import type { CodeOf } from './part/function/lambda-function.ts';
import { makeDashboard } from './part/observe/dashboard.ts';

export interface StacksProps {
  readonly config: Config;
  readonly code: CodeOf;
  /** Account and region, as every stack of the CDK takes them. */
  readonly env?: { readonly account?: string; readonly region?: string };
}

export interface Stacks {
  readonly data: DataStack;
  readonly engine: EngineStack;
  readonly extension: FurtherRoutesStack;
  readonly api: ApiStack;
}

/** Stacks in the order of their dependencies: data (with the API's address), engine, routes. The last one names the next steps. */
export const makeStacks = (scope: Construct, { config, code, env }: StacksProps): Stacks => {
  const shared = (part: string) => ({ config, stackName: `${config.stackName}-${part}`, ...(env && { env }) });
  // The other stacks can be deleted and deployed again. The data stack is protected against deletion.
  const data = new DataStack(scope, 'Data', { ...shared('data'), terminationProtection: true });
  const engine = new EngineStack(scope, 'Engine', { ...shared('engine'), data, code });
  const extension = new FurtherRoutesStack(scope, 'Extension', { ...shared('extension'), data, engine, code });
  // New functions of the API write tasks that only new workers know, so the workers come first, also where no value is imported.
  extension.addStackDependency(engine);
  const api = new ApiStack(scope, 'Api', { ...shared('api'), data, engine, code });
  api.addStackDependency(extension);
  // In the stack with most of the alarms, so that the fewest names cross stacks.
  makeDashboard(engine, { apiId: data.apiId, alarmsIn: scope });
  return { data, engine, extension, api };
};
