/** The package of the client, in a folder that has nothing else: its types, its formats, and where it runs. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { test } from 'vitest';
import { client } from '../../../../infra/release/client/client.ts';
import { version } from '../../../../shared/contract/version.ts';
import { root } from '../../../harness/law/source-files.ts';
import { installedNodes } from '../../../harness/release/installed-nodes.ts';
import { readmeExamples } from '../../../harness/release/readme-examples.ts';
import { installPackage } from '../../../harness/release/unpack.ts';

const dir = await installPackage(client);
const write = (name: string, text: string): void => writeFileSync(join(dir, name), text);
const tsc = (compilerOptions: object, ...files: readonly string[]): string => {
  const common = {
    target: 'es2022',
    lib: ['es2023', 'dom'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
  };
  const options = { ...common, noUncheckedIndexedAccess: true, skipLibCheck: false, noErrorTruncation: true, ...compilerOptions };
  write('tsconfig.json', JSON.stringify({ compilerOptions: options, files }));
  return spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', dir], { encoding: 'utf8' }).stdout;
};
const readme = readFileSync(join(dir, 'node_modules/client/README.md'), 'utf8');

test('client package: has no dependencies, and nothing of zod or Node', () => {
  const manifest = JSON.parse(readFileSync(join(dir, 'node_modules/client/package.json'), 'utf8')) as Record<string, unknown>;
  deepEqual([manifest.dependencies, manifest.peerDependencies, manifest.version], [undefined, undefined, version]);
  const grep = spawnSync('grep', ['-rnE', "zod|node:|from '[^.]", 'node_modules/client/esm', 'node_modules/client/cjs'], {
    cwd: dir,
  });
  equal(grep.stdout.toString(), '');
});

test('client package: its README has ten examples, which compile in strict consumers with every module resolution', () => {
  const examples = readmeExamples(readme);
  equal(examples.length, 10);
  const env = 'declare const process: { env: Record<string, string | undefined> };\n';
  const known = "declare const client: import('client').Client, projectId: string, backupId: string;\n";
  for (const [n, text] of examples.entries()) write(`example-${n}.mts`, env + (n === 0 ? '' : known) + text);
  const names = examples.map((_, n) => `example-${n}.mts`);
  const wrong = `import { openClient } from 'client';
    openClient({ baseUrl: '' }).request('GET /backups/{backupId}', { params: { backup: 'bkp_1' } });`;
  write('wrong.mts', wrong);
  write('common.cts', "import { openClient } from 'client';\nexport const client = openClient({ baseUrl: '' });\n");
  equal(tsc({ module: 'node16', moduleResolution: 'node16' }, ...names, 'common.cts'), '');
  equal(tsc({ module: 'nodenext', moduleResolution: 'nodenext' }, ...names, 'common.cts'), '');
  equal(tsc({ module: 'esnext', moduleResolution: 'bundler' }, ...names), '');
  match(tsc({ module: 'nodenext' }, 'wrong.mts'), /wrong\.mts\(2,\d+\): error .*'backup' does not exist in type/);
});

// The package's types come from the OpenAPI document, those of the repository from the zod schemas.
test('client package: takes and returns what the contract says, of every route and event', () => {
  const ours = join(root, 'shared/client/route-table.ts');
  write(
    'same.mts',
    `import type * as Ours from '${ours}';
    import type * as Theirs from 'client';
    type Frozen<T> = T extends readonly (infer E)[] ? readonly Frozen<E>[] : T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;
    type Fits<A, B> = [Frozen<A>] extends [Frozen<B>] ? true : false;
    type Routes = keyof Ours.RouteTable | keyof Theirs.RouteTable;
    type Missing = { [R in Routes]: R extends keyof Ours.RouteTable & keyof Theirs.RouteTable ? never : R }[Routes];
    type Accepted<F extends 'params' | 'query' | 'body' | 'data' | 'bodyOptional' | 'list' | 'paged' | 'idempotent'> =
      { [R in keyof Ours.RouteTable]: Fits<Theirs.RouteTable[R][F], Ours.RouteTable[R][F]> extends true ? never : R }[keyof Ours.RouteTable];
    type Returned = { [R in keyof Ours.RouteTable]: Fits<Ours.RouteTable[R]['data' | 'query'], Theirs.RouteTable[R]['data' | 'query']> extends true ? never : R }[keyof Ours.RouteTable];
    const none = <T,>(..._: [T] extends [never] ? [] : [T]): void => {};
    none<Missing>(); none<Accepted<'params'>>(); none<Accepted<'query'>>(); none<Accepted<'body'>>(); none<Accepted<'data'>>();
    none<Accepted<'bodyOptional' | 'list' | 'paged' | 'idempotent'>>(); none<Returned>();
    none<Fits<Theirs.StandardEvent, Ours.StandardEvent> extends true ? never : 'StandardEvent'>();
    none<Exclude<Ours.StandardEvent['type'], Theirs.StandardEvent['type']>>();
    none<Fits<Theirs.SimpleEvent, Ours.SimpleEvent> extends true ? never : 'SimpleEvent'>();`,
  );
  equal(
    tsc({ module: 'nodenext', lib: ['esnext', 'dom'], allowImportingTsExtensions: true, skipLibCheck: true }, 'same.mts'),
    '',
  );
});

test('client package: runs as a module, as CommonJS and in a browser, and names itself outside of browsers only', async () => {
  const call = `const seen = []; const fetch = async (_, { headers }) => (seen.push(headers['user-agent'] ?? 'none'), Response.json({ success: true, data: [] }));
    const done = openClient({ baseUrl: '', fetch }).request('GET /projects').then((projects) => seen[0] + ' ' + JSON.stringify(projects));`;
  write('run.mjs', `import { openClient } from 'client';\n${call}\nconsole.log(await done);`);
  write('run.cjs', `const { openClient } = require('client');\n${call}\ndone.then(console.log);`);
  for (const name of ['run.mjs', 'run.cjs'])
    for (const node of installedNodes())
      equal(execFileSync(node, [name], { cwd: dir, encoding: 'utf8' }), `bms-client/${version} []\n`, node);
  write('page.js', `import { openClient } from 'client';\n${call}\nglobalThis.shown = done;`);
  const { outputFiles } = await build({
    absWorkingDir: dir,
    entryPoints: ['page.js'],
    bundle: true,
    format: 'iife',
    platform: 'browser',
    write: false,
  });
  const { createContext, runInContext } = await import('node:vm');
  const page = createContext({ crypto, AbortSignal, Response, TextEncoder, URLSearchParams, setTimeout, clearTimeout });
  runInContext(outputFiles[0]?.text ?? '', page);
  equal(await page.shown, 'none []');
  ok((outputFiles[0]?.text.length ?? 0) < 20_000);
});
