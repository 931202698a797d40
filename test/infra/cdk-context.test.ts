/** The context that the CDK's own commands leave behind does not break a later synthesis. */
import { deepEqual } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'vitest';
import { readConfig } from '../../infra/config.ts';

const cdk = join(dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json')), 'bin', 'cdk');

test('config: cdk acknowledge and cdk cli-telemetry write keys that pass', (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'cdk-context-'));
  t.onTestFinished(() => rmSync(cwd, { recursive: true }));
  writeFileSync(join(cwd, 'cdk.json'), '{"app":"true"}');
  const env = { ...process.env, HOME: cwd, CDK_DISABLE_CLI_TELEMETRY: 'true' };
  for (const words of [
    ['acknowledge', '12345'],
    ['cli-telemetry', '--disable'],
  ])
    execFileSync(process.execPath, [cdk, ...words, '--no-notices', '--no-version-reporting'], { cwd, env, stdio: 'pipe' });
  const context = JSON.parse(readFileSync(join(cwd, 'cdk.context.json'), 'utf8')) as Record<string, unknown>;
  deepEqual(Object.keys(context).sort(), ['acknowledged-issue-numbers', 'cli-telemetry']);
  deepEqual(readConfig(context), readConfig({}));
});
