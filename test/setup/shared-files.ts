/**
 * Which test files may share a process. Each gets modules of ours of its own all the same (test/setup/import-hook.js), so module state
 * does not count. What counts is the process: a file that touches more of it than environment variables gets one for itself.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const folders = 'test/{shared,functions,infra/local/engines/firestore}/**/*.test.ts';

/** Child processes and threads, signals and streams, measures of memory and CPU, and changes of what all modules see. */
const processWide = [
  /node:(child_process|worker_threads|cluster|inspector|v8|vm|dns)/,
  /(?<!-)\bprocess\.(?!env\b|hrtime\b|nextTick\b|version)/,
  /\bglobalThis\b|\bglobal\.|\.prototype\b|\bconsole\.\w+ = |setGlobalDispatcher|syncBuiltinESMExports|\bgc\(/,
  // A spy is taken away after its file.
  /\bvi\.(?!spyOn|fn|waitFor|waitUntil)/,
];

export const sharedFiles = (root: string, except: readonly string[]): readonly string[] => {
  const isProcessWide = new Map<string, boolean>();
  const judge = (file: string): boolean => {
    const known = isProcessWide.get(file);
    if (known !== undefined) return known;
    isProcessWide.set(file, false);
    const text = readFileSync(join(root, file), 'utf8');
    const verdict = processWide.some((pattern) => pattern.test(text)) || testImports(file, text).some(judge);
    isProcessWide.set(file, verdict);
    return verdict;
  };
  /** The files below test/ that a file imports. */
  const testImports = (file: string, text: string): readonly string[] =>
    [...text.matchAll(/(?:from|import\()\s*'(\.[^']+\.ts)'/g)]
      .map(([, specifier = '']) => join(dirname(file), specifier))
      .filter((path) => path.startsWith('test/') && existsSync(join(root, path)));
  const excepted = new Set(globSync([...except], { cwd: root }));
  return globSync(folders, { cwd: root }).filter((file) => !excepted.has(file) && !judge(file));
};
