/** The complete service as CloudFormation: deployed by the CDK, booted by the local stage, read by tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { readConfig } from './config.ts';
import { makeStacks, type StacksProps } from './make-stacks.ts';
import type { CodeOf } from './part/function/lambda-function.ts';

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

export const buildApp = (props: StacksProps, app: App = quickApp()): App => {
  makeStacks(app, props);
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
