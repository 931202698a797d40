/**
 * What a stage is made from, the templates and the bundles, made once for each state of the sources: both take seconds,
 * and a second start finds them. Kept beside the installed packages, so that stages in any folder share them.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const home = join(root, 'node_modules', '.cache', 'local-stage');

/** A running stage still loads from the folder it started with, so none goes before this age. */
const keptMs = 24 * 3_600_000;

/** The folder that `make` filled for this kind, these sources and `more`; made now if it is not there yet. */
export const built = async (kind: string, more: string, make: (dir: string) => Promise<void>): Promise<string> => {
  const digest = createHash('sha256').update(sources()).update(more).digest('hex').slice(0, 20);
  const dir = join(home, `${kind}-${digest}`);
  if (existsSync(dir)) {
    const now = new Date();
    utimesSync(dir, now, now);
    return dir;
  }
  const draft = join(home, `draft-${randomUUID()}`);
  mkdirSync(draft, { recursive: true });
  try {
    await make(draft);
    // Another stage may have been quicker; then its folder is as good.
    if (!existsSync(dir)) renameSync(draft, dir);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  prune(kind);
  return dir;
};

let known: string | undefined;

/** Everything a template or a bundle can depend on. */
const sources = (): string => {
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(process.version);
  const files = globSync(['functions/**/*.*', 'shared/**/*.*', 'infra/**/*.*', 'package.json', 'package-lock.json'], {
    cwd: root,
  });
  for (const file of files.sort()) {
    const path = join(root, file);
    if (statSync(path).isFile()) hash.update(file).update('\0').update(readFileSync(path)).update('\0');
  }
  known = hash.digest('hex');
  return known;
};

const prune = (kind: string): void => {
  for (const name of readdirSync(home).filter((each) => each.startsWith(`${kind}-`))) {
    const path = join(home, name);
    if (Date.now() - statSync(path).mtimeMs > keptMs) rmSync(path, { recursive: true, force: true });
  }
};
