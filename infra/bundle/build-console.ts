/**
 * Builds the console with Vite and compresses its files. The build runs in a process of its own, because Vite and React decide by
 * NODE_ENV what they build. As a program it takes the output folder as its argument.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { buildCached } from './build-cached.ts';

/** As functions/console/built-files.ts has it. */
export interface BuiltFile {
  readonly contentType: string;
  readonly etag: string;
  readonly isImmutable: boolean;
  readonly br: string;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
};

/** The files by their path, from the cache if no source has changed. */
export const buildConsole = async (): Promise<Readonly<Record<string, BuiltFile>>> => {
  const self = fileURLToPath(import.meta.url);
  const dir = await buildCached({
    kind: 'console',
    from: [
      'functions/console/app/**/*.*',
      'shared/{client,contract,docs}/**/*.*',
      'shared/{recurring/cron,retention}/*.ts',
      'infra/bundle/{build-console,console-vite-config,endpoint-list}.ts',
    ],
    make: async (draft) => {
      const env = { ...process.env, NODE_ENV: 'production' };
      await promisify(execFile)(process.execPath, [self, draft], { env });
    },
  });
  return JSON.parse(readFileSync(join(dir, 'files.json'), 'utf8')) as Record<string, BuiltFile>;
};

/** The names of the packages in the script of the console. The file is also served, because their licences ask for it. */
export const consolePackages = async (): Promise<readonly string[]> => {
  const { 'licences.json': file } = await buildConsole();
  if (!file) throw new Error('the build of the console has no licences.json');
  const packages = JSON.parse(brotliDecompressSync(Buffer.from(file.br, 'base64')).toString()) as readonly {
    readonly name: string;
  }[];
  return packages.map(({ name }) => name);
};

/** A file as the console's function serves it. */
export const compressFile = (name: string, content: Buffer): BuiltFile => {
  const contentType = contentTypes[extname(name)];
  if (contentType === undefined) throw new Error(`the console has a file of an unknown type: ${name}`);
  const isImmutable = name.startsWith('assets/');
  // The name of an immutable file has a hash of its content. A second hash of each would be the only part that does not compress.
  const version = isImmutable ? basename(name) : createHash('sha256').update(content).digest('base64url').slice(0, 22);
  return {
    contentType,
    etag: `"${version}"`,
    isImmutable,
    br: brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }).toString('base64'),
  };
};

/** The document of /docs: the same page, with a list of all endpoints for readers without scripts. */
const docsDocument = async (index: string): Promise<string> => {
  const { endpointList } = await import('./endpoint-list.ts');
  const replace = (text: string, pattern: RegExp, replacement: string): string => {
    if (!pattern.test(text)) throw new Error(`index.html has nothing that matches ${pattern}`);
    return text.replace(pattern, () => replacement);
  };
  const titled = replace(index, /<title>.*?<\/title>/, '<title>API docs · Backups</title>');
  const indexed = replace(titled, /\s*<meta name="robots"[^>]*>/, '');
  return replace(indexed, /<noscript>[\s\S]*<\/noscript>/, `<noscript>\n${endpointList()}\n</noscript>`);
};

const main = async ([outdir = '']: readonly string[]): Promise<void> => {
  const [{ build }, { consoleViteConfig }] = await Promise.all([import('vite'), import('./console-vite-config.ts')]);
  const dist = join(outdir, 'dist');
  await build({
    ...consoleViteConfig,
    configFile: false,
    logLevel: 'warn',
    build: { ...consoleViteConfig.build, outDir: dist, emptyOutDir: true },
  });
  const index = readFileSync(join(dist, 'index.html'), 'utf8');
  writeFileSync(join(dist, 'docs.html'), await docsDocument(index));
  const names = globSync('**/*.*', { cwd: dist }).sort();
  const files = Object.fromEntries(names.map((name) => [name, compressFile(name, readFileSync(join(dist, name)))]));
  writeFileSync(join(outdir, 'files.json'), JSON.stringify(files));
};

if (import.meta.main) await main(process.argv.slice(2));
