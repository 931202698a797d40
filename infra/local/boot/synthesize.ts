/**
 * Synthesizes the app in a separate process: it runs while the engines start, and the CDK's 180 MB are freed afterwards.
 * As a program it takes the configuration and the output folder as arguments.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildCached } from '../../bundle/build-cached.ts';
import type { ConfigInput } from '../../config.ts';
import type { Stacks } from '../cloudformation/read-template.ts';

const templates = 'templates.json';

export const synthesize = async (config: ConfigInput, say: (line: string) => void = () => {}): Promise<Stacks> => {
  const self = fileURLToPath(import.meta.url);
  const { text, restorePorts } = withFixedPorts(JSON.stringify(config));
  const dir = await buildCached({
    kind: 'template',
    from: ['infra/*.*', 'infra/{part,workflow}/**/*.*', 'infra/local/boot/synthesize.ts', 'shared/contract/**/*.*'],
    choices: text,
    make: async (draft) => {
      say('synthesizing the template');
      await promisify(execFile)(process.execPath, [self, text, draft]);
    },
  });
  return JSON.parse(restorePorts(readFileSync(join(dir, templates), 'utf8'))) as Stacks;
};

const loopbackAddress = /(localhost|127\.0\.0\.1|\[::1\]):(\d+)/g;
const firstFixedPort = 64_001;

/** Replaces the ports of loopback addresses by fixed ones, so that stages on any free ports share one cached template. */
const withFixedPorts = (config: string): { readonly text: string; readonly restorePorts: (template: string) => string } => {
  const ports: string[] = [];
  const text = config.replace(loopbackAddress, (_, host: string, port: string) => {
    if (!ports.includes(port)) ports.push(port);
    return `${host}:${firstFixedPort + ports.indexOf(port)}`;
  });
  const restorePorts = (template: string): string =>
    template.replace(loopbackAddress, (address, host: string, port: string) => {
      const original = ports[Number(port) - firstFixedPort];
      return original === undefined ? address : `${host}:${original}`;
    });
  return { text, restorePorts };
};

const main = async ([config = '', outdir = '']: readonly string[]): Promise<void> => {
  const [{ Code }, { buildApp, quickApp }, { readConfig }] = await Promise.all([
    import('aws-cdk-lib/aws-lambda'),
    import('../../app.ts'),
    import('../../config.ts'),
  ]);
  const app = buildApp(
    // The stage runs the bundles; the template only has to name the code.
    { config: readConfig(JSON.parse(config)), code: (entry) => Code.fromInline(`// ${entry}`) },
    quickApp({ outdir }),
  );
  const stacks = Object.fromEntries(app.synth().stacks.map((stack) => [stack.stackName, stack.template]));
  writeFileSync(join(outdir, templates), JSON.stringify(stacks));
};

if (import.meta.main) await main(process.argv.slice(2));
