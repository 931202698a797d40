/**
 * Setup file of both projects, before all others: imports our files without Vitest's and Node's detours.
 * - Vitest's own hook reports every import to the main process, hundreds of messages for one test file. Only watching needs them.
 * - Vitest appends the time to the name of a test file, so the compile cache never has it.
 * - Node strips the types of a file that is not in the cache, for which each process would load the compiler (70 ms).
 *   The global setup has stripped all files (test/setup/strip-types.ts).
 * JavaScript, because this file is loaded before it can help.
 */
import { readFileSync } from 'node:fs';
import { isBuiltin, registerHooks } from 'node:module';

const root = new URL('../..', import.meta.url).href;
const packages = new URL('node_modules/', root).href;
const isOwn = (url) => url?.startsWith(root) === true && !url.startsWith(packages);
const testFile = /%3Fvitest=\d+$/;
const stripped = new URL('.cache/stripped/', packages);

const resolve = (specifier, context, nextResolve) => {
  if (isBuiltin(specifier)) {
    return { url: specifier.startsWith('node:') ? specifier : `node:${specifier}`, format: 'builtin', shortCircuit: true };
  }
  if (testFile.test(specifier)) return { url: specifier.replace(testFile, ''), shortCircuit: true };
  if (/^\.\.?\/.*\.ts$/.test(specifier) && isOwn(context.parentURL)) {
    return { url: new URL(specifier, context.parentURL).href, shortCircuit: true };
  }
  const found = nextResolve(specifier, context);
  // Without a hint Node parses a file of a package that does not name its module type (the AWS SDK) to find out.
  return !found.format && found.url.includes('/dist-cjs/') ? { ...found, format: 'commonjs' } : found;
};

const load = (url, context, nextLoad) => {
  const source = url.endsWith('.ts') && isOwn(url) ? readStripped(url) : '';
  return source ? { format: 'module', source, shortCircuit: true } : nextLoad(url, context);
};

/** Nothing for a file that is newer than the run: it is left to Node. */
const readStripped = (url) => {
  try {
    return readFileSync(new URL(url.slice(root.length), stripped), 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return '';
  }
};

if (process.env.VITEST_MODE !== 'WATCH') registerHooks({ resolve, load });
