/**
 * Selects the test files that may share a process. Each file gets its own copies of our modules (test/setup/import-hook.js), so module
 * state does not matter. A file that changes the process itself, other than environment variables, gets its own process.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const folders = 'test/{shared,functions,infra,law}/**/*.test.ts';

/** Child processes and threads, signals and streams, measurements of memory and CPU, and state that all files see. */
const processWide = [
  /node:(child_process|worker_threads|cluster|inspector|v8|vm|dns)/,
  /(?<!-)\bprocess\.(?!env\b|hrtime\b|nextTick\b|pid\b|version)/,
  /\bglobalThis\b|\bglobal\.|\.prototype\b|\bconsole\.\w+ = |setGlobalDispatcher|syncBuiltinESMExports|\bgc\(/,
  // Files loaded by require share modules with all files.
  /\bcreateRequire\([^)]*\)\((?!')/,
  // Vitest restores spies after their file.
  /\bvi\.(?!spyOn|fn|waitFor|waitUntil)/,
];

/** Sufficient for this project's style: no string contains a comment sign after a space. */
const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/ .*$/gm, '$1');

export const sharedFiles = (root: string, except: readonly string[]): readonly string[] => {
  const isProcessWide = new Map<string, boolean>();
  const needsProcess = (file: string): boolean => {
    const known = isProcessWide.get(file);
    if (known !== undefined) return known;
    isProcessWide.set(file, false);
    const text = withoutComments(readFileSync(join(root, file), 'utf8'));
    const found = processWide.some((pattern) => pattern.test(text)) || testImports(file, text).some(needsProcess);
    isProcessWide.set(file, found);
    return found;
  };
  /** The files below test/ that a file imports. */
  const testImports = (file: string, text: string): readonly string[] =>
    [...text.matchAll(/(?:from|import\()\s*'(\.[^']+\.ts)'/g)]
      .map(([, specifier = '']) => join(dirname(file), specifier))
      .filter((path) => path.startsWith('test/') && existsSync(join(root, path)));
  const excepted = new Set(globSync([...except], { cwd: root }));
  return globSync(folders, { cwd: root }).filter((file) => !excepted.has(file) && !needsProcess(file));
};
