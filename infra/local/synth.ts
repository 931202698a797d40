/**
 * Synthesizes the app in a process of its own: the CDK's 180 MB leave with it, and it works while the engines start.
 * Run as a program it reads the configuration from its argument and writes the templates to its output.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ConfigInput } from '../config.ts';
import type { Stacks } from './template.ts';

export const synthesize = async (config: ConfigInput, outdir: string): Promise<Stacks> => {
  const self = fileURLToPath(import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, [self, JSON.stringify(config), outdir], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout) as Stacks;
};

const main = async ([config = '{}', outdir = 'cdk.out']: readonly string[]): Promise<void> => {
  const [{ App }, { Code }, { buildApp }, { readConfig }] = await Promise.all([
    import('aws-cdk-lib'),
    import('aws-cdk-lib/aws-lambda'),
    import('../app.ts'),
    import('../config.ts'),
  ]);
  const app = buildApp(
    // The code itself comes from the bundles; the template only has to name it.
    { config: readConfig(JSON.parse(config)), code: (entry) => Code.fromInline(`// ${entry}`) },
    new App({ analyticsReporting: false, outdir }),
  );
  const stacks = Object.fromEntries(app.synth().stacks.map((stack) => [stack.stackName, stack.template]));
  process.stdout.write(JSON.stringify(stacks));
};

if (import.meta.main) await main(process.argv.slice(2));
