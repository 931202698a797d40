/** The project's source files, for laws about the source. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface Import {
  /** A path below the root for a project file, else the package name. */
  readonly target: string;
  readonly isOurs: boolean;
  readonly statement: string;
}

export interface Source {
  /** Below the root. */
  readonly path: string;
  readonly text: string;
  /** The text with comments and string contents blanked out. */
  readonly code: string;
  readonly imports: readonly Import[];
}

export const sources: readonly Source[] = globSync('{shared,functions,infra,test}/**/*.{ts,tsx}', { cwd: root })
  .filter((path) => !path.includes('node_modules'))
  .sort()
  .map((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return { path, text, code: codeOf(text), imports: importsOf(path, text) };
  });

export const sourcesIn = (...folders: readonly string[]): readonly Source[] =>
  sources.filter(({ path }) => folders.some((folder) => path.startsWith(`${folder}/`)));

/** The lines with a pattern, for the message of a failing law. */
export const linesWith = (pattern: RegExp, from: readonly Source[]): string[] =>
  from.flatMap(({ path, code }) =>
    code
      .split('\n')
      .map((line, n) => ({ line, n }))
      .filter(({ line }) => pattern.test(line))
      .map(({ line, n }) => `${path}:${n + 1} ${line.trim()}`),
  );

function importsOf(path: string, text: string): Import[] {
  const statements = [
    ...text.matchAll(/^(?:import|export)\s[^;]*?from\s+'([^']+)';$/gms),
    ...text.matchAll(/^import\s+'([^']+)';$/gm),
    ...text.matchAll(/\bimport\('([^']+)'\)/g),
  ];
  return statements.map(([statement, target = '']) => ({
    statement,
    isOurs: target.startsWith('.'),
    target: target.startsWith('.') ? normalize(join(dirname(path), target)) : packageOf(target),
  }));
}

function packageOf(specifier: string): string {
  return specifier.startsWith('node:')
    ? specifier
    : specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/');
}

/** Sufficient for this project's style: no regular expression contains a comment sign or an odd quote. */
function codeOf(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|[\s;{}(,])\/\/.*$/gm, '$1')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, "''");
}
