/** Global setup of both projects: one folder for the temporary files of the run, in memory if there is room. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const roomBytes = 4 * 1024 ** 3;

const hasRoom = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= roomBytes;
  } catch {
    return false;
  }
};

/** Creates a folder for this run. The engines sync every write, which is slow on a disk. */
export const makeRunDir = (prefix: string): string => mkdtempSync(join(hasRoom() ? memory : tmpdir(), prefix));

const cacheFilesMax = 20_000;

/** Watching adds test files to the compile cache under new names, so it starts anew when it has grown large. */
const pruneCompileCache = (): void => {
  const { NODE_COMPILE_CACHE: cache = '' } = process.env;
  if (existsSync(cache) && readdirSync(cache, { recursive: true }).length > cacheFilesMax) rmSync(cache, { recursive: true });
};

/** Workers inherit TMPDIR and TEST_RUN_DIR: they start after the global setup. */
export default (): (() => void) | undefined => {
  // The project that is set up first creates the folder for both.
  if (process.env.TEST_RUN_DIR) return undefined;
  pruneCompileCache();
  const dir = makeRunDir('test-');
  mkdirSync(join(dir, 'tmp'));
  const { TMPDIR } = process.env;
  Object.assign(process.env, { TEST_RUN_DIR: dir, TMPDIR: join(dir, 'tmp') });
  return () => {
    delete process.env.TEST_RUN_DIR;
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    rmSync(dir, { recursive: true, force: true });
  };
};
