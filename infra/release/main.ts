/** `npm run release`: builds everything that is published into dist/, from a clean tree. It publishes nothing. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { artifacts } from './artifacts.ts';
import { buildRelease } from './build-release.ts';
import { refuseChanges } from './refuse-changes.ts';
import { refuseStaleFixture } from './refuse-stale-fixture.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const usage = `usage: npm run release -- [--scope <npm scope>] [--out <folder>]

  --scope  scope of the npm names: acme makes @acme/client (default: none)
  --out    where the files go; what is there before is deleted (default: dist)`;

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: { scope: { type: 'string' }, out: { type: 'string', default: 'dist' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) return console.log(usage);
  const scope = values.scope?.replace(/^@/, '');
  if (scope !== undefined && !/^[a-z0-9][a-z0-9._-]*$/.test(scope)) throw new Error(`--scope is no npm scope: ${scope}`);
  refuseChanges(root);
  await refuseStaleFixture(root);
  const startedMs = performance.now();
  let lastMs = startedMs;
  const seconds = (sinceMs: number): string => `${((performance.now() - sinceMs) / 1_000).toFixed(1)} s`;
  await buildRelease({
    artifacts,
    out: resolve(root, values.out),
    scope,
    onWritten: (name, files) => {
      console.log(`${seconds(lastMs).padStart(7)}  ${name.padEnd(12)}  ${summaryOf(files)}`);
      lastMs = performance.now();
    },
  });
  console.log(`${seconds(startedMs).padStart(7)}  ${values.out} is complete; infra/release.md says how to publish it`);
};

const namesMax = 3;

const summaryOf = (files: Readonly<Record<string, Buffer>>): string => {
  const names = Object.entries(files).map(([path, { length }]) => `${path} (${sizeOf(length)})`);
  const further = names.length - namesMax;
  return [...names.slice(0, namesMax), ...(further > 0 ? [`and ${further} more`] : [])].join(', ');
};

const sizeOf = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;

await main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
