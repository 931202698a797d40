/** The complete service as CloudFormation: deployed by the CDK, booted by the local stage, read by tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { ApiStack } from './api-stack.ts';
import { type Config, readConfig } from './config.ts';
import { DataStack } from './data-stack.ts';
import { EngineStack } from './engine-stack.ts';
import { FurtherRoutesStack } from './further-routes-stack.ts';
import type { CodeOf } from './part/function/lambda-function.ts';
import { makeDashboard } from './part/observe/dashboard.ts';

interface AppProps {
  readonly config: Config;
  readonly code: CodeOf;
}

/**
 * Skips the CDK's own template validation, which takes three times as long as the synthesis: `cdk synth` and a test run it.
 * Writes no tree of the constructs, which nothing reads, and records no stack traces: both take a third of the synthesis.
 */
export const quickApp = (output: { readonly outdir?: string } = {}): App =>
  new App({
    ...output,
    analyticsReporting: false,
    builtinCloudFormationValidation: false,
    treeMetadata: false,
    stackTraces: false,
  });

/** Stacks in the order of their dependencies: data (with the API's address), engine, routes. The last one names the next steps. */
export const buildApp = ({ config, code }: AppProps, app: App = quickApp()): App => {
  const stackName = (part: string) => `${config.stackName}-${part}`;
  // The other stacks can be deleted and deployed again. The data stack is protected against deletion.
  const data = new DataStack(app, 'Data', { config, stackName: stackName('data'), terminationProtection: true });
  const engine = new EngineStack(app, 'Engine', { config, data, code, stackName: stackName('engine') });
  const extension = new FurtherRoutesStack(app, 'Extension', { config, data, engine, code, stackName: stackName('extension') });
  // New functions of the API write tasks that only new workers know, so the workers come first, also where no value is imported.
  extension.addStackDependency(engine);
  const api = new ApiStack(app, 'Api', { config, data, engine, code, stackName: stackName('api') });
  api.addStackDependency(extension);
  // In the stack with most of the alarms, so that the fewest names cross stacks.
  makeDashboard(engine, data.apiId);
  return app;
};

/** The code of each function as an asset of its own, because the CDK ties an asset to one stack. It stages equal folders once. */
export const assetsOf =
  (folderOf: (entry: string) => string): CodeOf =>
  (entry) =>
    Code.fromAsset(folderOf(entry));

/** Entry point of the cdk command: the context is the configuration, and the code is bundled. */
const main = async (): Promise<void> => {
  const app = new App();
  const config = readConfig(app.node.getAllContext());
  // Only this path needs esbuild; callers that pass their own code start without it.
  const { bundle, bundleDir, entries } = await import('./bundle/bundle.ts');
  const outdir = mkdtempSync(join(tmpdir(), 'backup-management-service-'));
  try {
    await bundle(entries, outdir);
    const code = assetsOf((entry) => bundleDir(entry, outdir));
    buildApp({ config, code }, app).synth();
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
};

if (import.meta.main) {
  await main().catch((error: Error) => {
    // Invalid settings are reported in one line each; CDK_DEBUG=true adds the stack trace.
    console.error(process.env.CDK_DEBUG === 'true' ? error : error.message);
    process.exitCode = 1;
  });
}
