/**
 * What a stage is made from, the templates and the bundles, made once for each state of the sources: both take seconds,
 * and a second start finds them. Kept beside the installed packages, so that stages in any folder share them.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const home = join(root, 'node_modules', '.cache', 'local-stage');

/** A running stage still loads from the folder it started with, so none goes before this age. */
const keptMs = 24 * 3_600_000;

export interface BuildRecipe {
  readonly kind: string;
  /** The files it is made from; the installed packages always count. */
  readonly from: readonly string[];
  /** What else it depends on. */
  readonly choices?: string;
  /** Fills the folder. */
  readonly make: (dir: string) => Promise<void>;
}

/** The folder that was made from these very sources; made now if it is not there yet. */
export const buildCached = async ({ kind, from, choices = '', make }: BuildRecipe): Promise<string> => {
  const dir = join(home, `${kind}-${digestOf(from, choices)}`);
  if (existsSync(dir)) {
    const now = new Date();
    utimesSync(dir, now, now);
    return dir;
  }
  const draft = join(home, `draft-${randomUUID()}`);
  mkdirSync(draft, { recursive: true });
  try {
    await make(draft);
    try {
      renameSync(draft, dir);
    } catch (error) {
      // Another stage was quicker; its folder is as good.
      if (!existsSync(dir)) throw error;
    }
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  prune();
  return dir;
};

const digestOf = (patterns: readonly string[], choices: string): string => {
  const hash = createHash('sha256').update(process.version).update(choices);
  for (const file of globSync([...patterns, 'package.json', 'package-lock.json'], { cwd: root }).sort()) {
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex').slice(0, 20);
};

const prune = (): void => {
  for (const name of readdirSync(home)) {
    const path = join(home, name);
    const usedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (Date.now() - usedMs > keptMs) rmSync(path, { recursive: true, force: true });
  }
};
