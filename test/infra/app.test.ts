/** What `cdk synth` does with real assets. Tests and the local stage pass inline code, which any number of stacks may share. */
import { deepEqual } from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { test } from 'vitest';
import { assetsOf, buildApp } from '../../infra/app.ts';
import { readConfig } from '../../infra/config.ts';

test('app: bundles are assets of every stack that uses them', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cdk-assets-'));
  t.onTestFinished(() => rmSync(folder, { recursive: true }));
  const folderOf = (entry: string): string => {
    const path = join(folder, 'code', entry);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'index.mjs'), `// ${entry}`);
    return path;
  };
  const outdir = join(folder, 'out');
  const app = new App({ analyticsReporting: false, builtinCloudFormationValidation: false, outdir });
  const { stacks } = buildApp({ config: readConfig({}), code: assetsOf(folderOf) }, app).synth();
  deepEqual(stacks.map(({ stackName }) => stackName.split('-').at(-1)).sort(), ['api', 'data', 'engine', 'extension']);
  // A parallel deployment follows these dependencies: workers know the tasks of new API functions before those are deployed.
  const before = (name: string): string[] =>
    (stacks.find(({ id }) => id === name)?.dependencies ?? []).flatMap(({ id }) => (id.endsWith('.assets') ? [] : id)).sort();
  deepEqual(before('Engine'), ['Data']);
  deepEqual(before('Extension'), ['Data', 'Engine']);
  deepEqual(before('Api'), ['Data', 'Engine', 'Extension']);
  const withCode = stacks.filter(({ template }) => JSON.stringify(template).includes('"S3Key"'));
  deepEqual(withCode.map(({ stackName }) => stackName.split('-').at(-1)).sort(), ['api', 'engine', 'extension']);
});
