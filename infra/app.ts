/** The whole service as CloudFormation: the CDK deploys it, the local stage boots it, tests read it. */
import { App } from 'aws-cdk-lib';
import { ApiStack } from './api-stack.ts';
import type { Config } from './config.ts';
import { DataStack } from './data-stack.ts';
import { EngineStack } from './engine-stack.ts';
import type { CodeOf } from './part/fn.ts';

export interface AppProps {
  readonly config: Config;
  readonly code: CodeOf;
}

/** What exists must come before what names it: data (with the address), then the engine, then the routes. */
export const buildApp = ({ config, code }: AppProps, app: App = new App({ analyticsReporting: false })): App => {
  const stackName = (part: string) => `backup-management-service-${part}`;
  const data = new DataStack(app, 'Data', { config, stackName: stackName('data') });
  const engine = new EngineStack(app, 'Engine', { config, data, code, stackName: stackName('engine') });
  new ApiStack(app, 'Api', { config, data, engine, code, stackName: stackName('api') });
  return app;
};
