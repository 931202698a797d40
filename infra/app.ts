/** The whole service as CloudFormation: the CDK deploys it, the local stage boots it, tests read it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { ApiStack } from './api-stack.ts';
import { type Config, readConfig } from './config.ts';
import { DataStack } from './data-stack.ts';
import { EngineStack } from './engine-stack.ts';
import type { CodeOf } from './part/function/lambda-function.ts';
import { makeDashboard } from './part/observe/dashboard.ts';

export interface AppProps {
  readonly config: Config;
  readonly code: CodeOf;
}

/** Without the CDK's own template validation, which takes three times as long as all the rest; `cdk synth` and a test run it. */
const quickApp = (): App => new App({ analyticsReporting: false, builtinCloudFormationValidation: false });

/** What exists must come before what names it: data (with the address), then the engine, then the routes. */
export const buildApp = ({ config, code }: AppProps, app: App = quickApp()): App => {
  const stackName = (part: string) => `backup-management-service-${part}`;
  // What runs can be taken away and deployed again; the data stack goes only once somebody has lifted its protection.
  const data = new DataStack(app, 'Data', { config, stackName: stackName('data'), terminationProtection: true });
  const engine = new EngineStack(app, 'Engine', { config, data, code, stackName: stackName('engine') });
  new ApiStack(app, 'Api', { config, data, engine, code, stackName: stackName('api') });
  // With the most of what it shows, so that no name has to be handed from stack to stack for its sake.
  makeDashboard(engine, data.apiId);
  return app;
};

/** Started by the cdk command: the context is the configuration, the code is bundled. */
const main = async (): Promise<void> => {
  const app = new App();
  const config = readConfig(app.node.getAllContext());
  // Only this path needs esbuild; whoever passes code of their own starts without it.
  const { bundle, bundleDir, entries } = await import('./bundle/bundle.ts');
  const outdir = mkdtempSync(join(tmpdir(), 'backup-management-service-'));
  try {
    await bundle(entries, outdir);
    // One asset for each file, however many functions start from it.
    const assets = new Map<string, Code>();
    const code = (entry: string): Code => {
      const asset = assets.get(entry) ?? Code.fromAsset(bundleDir(entry, outdir));
      assets.set(entry, asset);
      return asset;
    };
    buildApp({ config, code }, app).synth();
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
};

if (import.meta.main) {
  await main().catch((error: Error) => {
    // A wrong setting is told in a line each; the trace, for whoever works on the stacks, comes with CDK_DEBUG=true.
    console.error(process.env.CDK_DEBUG === 'true' ? error : error.message);
    process.exitCode = 1;
  });
}
