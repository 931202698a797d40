import { execFile } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, type Format } from 'esbuild';
import { buildCached } from '../../bundle/build-cached.ts';
import type { Artifact } from '../artifact.ts';
import { packPackage } from '../pack/pack-package.ts';
import type { TarEntry } from '../pack/tar.ts';
import { routeTableText } from './route-table-text.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** What the package exports of shared/client. The others are rules that the console and the command line share. */
const published = [
  'failures',
  'open-client',
  'route-table',
  'routes',
  'send-request',
  'until-jobs-stop',
  'verify-webhook',
  'wait-for-job',
];

const indexText = (): string =>
  [...readFileSync(join(root, 'shared/client/index.ts'), 'utf8').matchAll(/^export [^;]*? from '\.\/([\w-]+)\.ts';$/gm)]
    .filter(([, name = '']) => published.includes(name))
    .map(([statement]) => `${statement}\n`)
    .join('');

/** Each format in a folder whose package.json says what its files are, so that both have the same names and the same types. */
const formats: Readonly<Record<string, { readonly format: Format; readonly type: string }>> = {
  esm: { format: 'esm', type: 'module' },
  cjs: { format: 'cjs', type: 'commonjs' },
};

/** The typed client, for Node and browsers, without dependencies. */
export const client: Artifact = {
  name: 'client',
  build: async (context) => {
    const dir = await buildCached({
      kind: 'client',
      from: ['shared/{client,contract}/**/*.ts', 'infra/release/client/*.ts'],
      make: async (draft) => {
        await writeDeclarations(join(draft, 'types'));
        for (const [folder, { format }] of Object.entries(formats)) await writeCode(join(draft, folder, 'index.js'), format);
      },
    });
    const files = Object.entries(formats).flatMap(([folder, { type }]): [string, TarEntry][] => [
      [`${folder}/package.json`, { content: `${JSON.stringify({ type })}\n` }],
      [`${folder}/index.js`, { content: readFileSync(join(dir, folder, 'index.js')) }],
      ...globSync('*.d.ts', { cwd: join(dir, 'types') }).map((name): [string, TarEntry] => [
        `${folder}/${name}`,
        { content: readFileSync(join(dir, 'types', name)) },
      ]),
    ]);
    const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8').replaceAll(
      "'client'",
      `'${context.packageName('client')}'`,
    );
    return {
      files: packPackage(context, {
        name: 'client',
        description: 'Typed client of the Backup Management Service, for Node and browsers; verifies webhooks',
        fields: {
          type: 'module',
          sideEffects: false,
          main: './cjs/index.js',
          module: './esm/index.js',
          types: './cjs/index.d.ts',
          exports: {
            '.': {
              import: { types: './esm/index.d.ts', default: './esm/index.js' },
              require: { types: './cjs/index.d.ts', default: './cjs/index.js' },
            },
            './package.json': './package.json',
          },
        },
        files: { ...Object.fromEntries(files), 'README.md': { content: readme } },
      }),
    };
  },
};

const writeCode = async (outfile: string, format: Format): Promise<void> => {
  await build({
    absWorkingDir: root,
    stdin: { contents: indexText(), loader: 'ts', resolveDir: join(root, 'shared/client') },
    outfile,
    bundle: true,
    format,
    platform: 'neutral',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'error',
  });
};

/** The declarations of shared/client, with the types of the API written out instead of derived from zod schemas. */
const writeDeclarations = async (outdir: string): Promise<void> => {
  // Below node_modules the compiler would take the files for those of a package, and emit nothing.
  const sources = mkdtempSync(join(tmpdir(), 'client-'));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(sources, path)), { recursive: true });
    writeFileSync(join(sources, path), text);
  };
  try {
    const copied = [
      'shared/contract/recovery-times.ts',
      'shared/contract/version.ts',
      'shared/contract/webhook-key.ts',
      ...globSync('shared/client/*.ts', { cwd: root }),
    ];
    for (const path of copied) write(path, readFileSync(join(root, path), 'utf8'));
    write('shared/client/index.ts', indexText());
    write('shared/client/route-table.ts', routeTableText());
    write('package.json', JSON.stringify({ type: 'module' }));
    write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['shared/client/index.ts'] }));
    await compile(sources);
    mkdirSync(outdir);
    for (const path of globSync('built/client/*.d.ts', { cwd: sources }).sort()) {
      const text = readFileSync(join(sources, path), 'utf8');
      writeFileSync(join(outdir, basename(path)), text.replaceAll(/(from ['"]\.\/[\w-]+)\.ts(?=['"])/g, '$1.js'));
    }
  } finally {
    rmSync(sources, { recursive: true, force: true });
  }
};

const compile = async (dir: string): Promise<void> => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', dir]).catch((error: { readonly stdout?: string }) => {
    throw new Error(`the types of the client do not compile:\n${error.stdout}`, { cause: error });
  });
};

const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  lib: ['es2023', 'dom'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  declaration: true,
  emitDeclarationOnly: true,
  allowImportingTsExtensions: true,
  rootDir: 'shared',
  outDir: 'built',
};
