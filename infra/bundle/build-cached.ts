/**
 * Caches the synthesized templates, the bundles and the console by a hash of the sources, because building takes seconds.
 * The cache is stored beside the installed packages, so stages in different folders share it.
 */
import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const home = join(root, 'node_modules', '.cache', 'local-stage');

/** A running stage still loads from its cache folder, so younger folders are kept. */
const keptMs = 24 * 3_600_000;

interface BuildRecipe {
  readonly kind: string;
  /** The source files. The installed packages are always included. */
  readonly from: readonly string[];
  readonly choices?: string;
  readonly make: (dir: string) => Promise<void>;
}

/** Returns the folder built from exactly these sources; builds it if it is missing, or waits for the process that does. */
export const buildCached = async ({ kind, from, choices = '', make }: BuildRecipe): Promise<string> => {
  const dir = join(home, `${kind}-${digestOf(from, choices)}`);
  mkdirSync(home, { recursive: true });
  while (!existsSync(dir)) {
    const lock = join(home, `building-${basename(dir)}`);
    if (!takesLock(lock)) {
      await pause(pollMs);
      continue;
    }
    const draft = join(home, `draft-${randomUUID()}`);
    mkdirSync(draft);
    try {
      await make(draft);
      moveInto(dir, draft);
    } finally {
      for (const path of [draft, lock]) rmSync(path, { recursive: true, force: true });
    }
    prune();
  }
  touch(dir);
  return dir;
};

/** A folder for several results of exactly these sources, which the caller makes when they are missing. */
export const cacheFolder = ({ kind, from }: Pick<BuildRecipe, 'kind' | 'from'>): string => {
  const dir = join(home, `${kind}-${digestOf(from, '')}`);
  mkdirSync(dir, { recursive: true });
  touch(dir);
  return dir;
};

const touch = (dir: string): void => {
  const now = new Date();
  utimesSync(dir, now, now);
};

const pollMs = 100;
/** Several times what the longest build takes. */
const lockedMaxMs = 600_000;

/** Takes the lock if no process holds it. One whose process has ended is removed, for the next try. */
const takesLock = (lock: string): boolean => {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const sinceMs = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (sinceMs !== undefined && (Date.now() - sinceMs > lockedMaxMs || !isRunning(lock))) rmSync(lock, { force: true });
  return false;
};

const isRunning = (lock: string): boolean => {
  try {
    return process.kill(Number(readFileSync(lock, 'utf8')), 0);
  } catch (error) {
    // A process of another user may not be signalled, but runs.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Whether the sources are still those of the folder that `buildCached` returned. Their times are compared first, which costs less. */
export const isFromTheseSources = (dir: string, { from, choices = '' }: Pick<BuildRecipe, 'from' | 'choices'>): boolean => {
  const { birthtimeMs } = statSync(dir);
  return (
    sourcesIn(from).every((file) => statSync(join(root, file)).ctimeMs < birthtimeMs) || dir.endsWith(digestOf(from, choices))
  );
};

/** Moves a finished folder to its place, unless another stage has finished first: its result is equivalent. */
export const moveInto = (dir: string, draft: string): void => {
  mkdirSync(dirname(dir), { recursive: true });
  try {
    renameSync(draft, dir);
  } catch (error) {
    if (!existsSync(dir)) throw error;
  }
};

const digestOf = (patterns: readonly string[], choices: string): string => {
  const hash = createHash('sha256').update(process.version).update(choices);
  for (const file of sourcesIn(patterns)) {
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex').slice(0, 20);
};

const sourcesIn = (patterns: readonly string[]): readonly string[] =>
  globSync([...patterns, 'package.json', 'package-lock.json'], { cwd: root }).sort();

const prune = (): void => {
  for (const name of readdirSync(home)) {
    const path = join(home, name);
    const usedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (Date.now() - usedMs > keptMs) rmSync(path, { recursive: true, force: true });
  }
};
