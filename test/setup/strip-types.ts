/** Strips the types of all sources, so that no test process has to load the compiler for it. */
import { globSync, mkdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Writes each source as JavaScript, line by line as it was, to its own path below `dir`. One that has not changed is kept. */
export const stripTypes = (dir: string): void => {
  const { emitWarning } = process;
  // Node says once that this function is experimental.
  process.emitWarning = () => {};
  try {
    stripAll(dir);
  } finally {
    process.emitWarning = emitWarning;
  }
};

const stripAll = (dir: string): void => {
  for (const file of globSync('{shared,functions,infra,test}/**/*.ts', { cwd: root })) {
    const [from, to] = [join(root, file), join(dir, file)];
    const { mtime } = statSync(from);
    if (statSync(to, { throwIfNoEntry: false })?.mtime.getTime() === mtime.getTime()) continue;
    mkdirSync(dirname(to), { recursive: true });
    // Another run may read it at this moment.
    const draft = `${to}.${process.pid}`;
    writeFileSync(draft, strip(readFileSync(from, 'utf8')));
    utimesSync(draft, mtime, mtime);
    renameSync(draft, to);
  }
};

/** Empty if the syntax is invalid: the process that imports the file then reads the source and reports the error. */
const strip = (source: string): string => {
  try {
    return stripTypeScriptTypes(source);
  } catch {
    return '';
  }
};
