/**
 * Setup file of both projects, before all others: imports our files without Vitest's and Node's detours.
 * - Vitest's own hook reports every import to the main process, hundreds of messages for one test file. Only watching needs them.
 * - Vitest appends the time to the name of a test file, so the compile cache never has it.
 * - Node strips the types of a file that is not in the cache, for which each process would load the compiler (70 ms).
 *   The global setup has stripped all files (test/setup/strip-types.ts).
 * In the project `unit-shared` a process runs many files. Each file gets modules of ours of its own, because Node forgets those of the
 * file before, and the environment variables of the start. The addresses stay the same, so that the modules are compiled only once.
 * JavaScript, because this file is loaded before it can help.
 */
import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin, registerHooks } from 'node:module';

const root = new URL('../..', import.meta.url).href;
const packages = new URL('node_modules/', root).href;
const isOwn = (url) => url?.startsWith(root) === true && !url.startsWith(packages);
const entry = /%3Fvitest=\d+$/;
const stripped = new URL('.cache/stripped/', packages);

const self = import.meta.url.replace(/\?.*/, '');
const isShared = process.env.TEST_SHARED_PROCESS === '1';
const environment = { ...process.env };

/** The modules that Node has loaded. There is no public way to forget one: the project starts with `--expose-internals`. */
const loaded = isShared
  ? createRequire(self)('internal/modules/esm/loader').getOrInitializeCascadedLoader().loadCache
  : undefined;
/** The addresses of our modules that the current file has loaded. */
const ownLoaded = new Set();

/** Vitest imports this file first for each test file. */
const beginFile = () => {
  for (const url of ownLoaded) loaded.delete(url);
  ownLoaded.clear();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
};

const resolve = (specifier, context, nextResolve) => {
  if (isBuiltin(specifier)) {
    return { url: specifier.startsWith('node:') ? specifier : `node:${specifier}`, format: 'builtin', shortCircuit: true };
  }
  if (entry.test(specifier)) {
    const url = specifier.replace(entry, '');
    if (url === self) beginFile();
    return { url, shortCircuit: true };
  }
  if (/^\.\.?\/.*\.ts$/.test(specifier) && isOwn(context.parentURL)) {
    return { url: new URL(specifier, context.parentURL).href, shortCircuit: true };
  }
  const found = nextResolve(specifier, context);
  // Without a hint Node parses a file of a package that does not name its module type (the AWS SDK) to find out.
  return !found.format && found.url.includes('/dist-cjs/') ? { ...found, format: 'commonjs' } : found;
};

const load = (url, context, nextLoad) => {
  if (!url.endsWith('.ts') || !isOwn(url)) return nextLoad(url, context);
  if (isShared) ownLoaded.add(url);
  const source = readStripped(url);
  return source ? { format: 'module', source, shortCircuit: true } : nextLoad(url, context);
};

const sources = new Map();

/** Nothing for a file that is newer than the run: it is left to Node. */
const readStripped = (url) => {
  const known = sources.get(url);
  if (known) return known;
  try {
    const source = readFileSync(new URL(url.slice(root.length), stripped), 'utf8');
    if (isShared) sources.set(url, source);
    return source;
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return '';
  }
};

const registered = Symbol.for('test/setup/import-hook');
if (process.env.VITEST_MODE !== 'WATCH' && !globalThis[registered]) {
  globalThis[registered] = true;
  registerHooks({ resolve, load });
}
