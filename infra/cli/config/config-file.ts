/** The stored sign-ins, as named profiles, in a file that only its owner can read. */
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { badInput } from '../base/cli-failure.ts';

export interface Profile {
  /** The address of the service; absent if it is the profile's name. */
  readonly url?: string | undefined;
  readonly organizationId?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly accessToken?: string | undefined;
  readonly refreshToken?: string | undefined;
}

export interface Config {
  /** The profile that is used if nothing else is named. */
  readonly current?: string | undefined;
  /** By name, which is the address unless --profile gave another. */
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** The address of the service of a profile. */
export const urlOf = ({ profiles }: Config, name: string): string => profiles[name]?.url ?? name;

/** A process that holds the lock makes at most one call of 35 s. */
const lockStaleMs = 60_000;
const lockPollMs = 50;

export const configPath = (env: Readonly<Record<string, string | undefined>>): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'bms', 'config.json');

export class ConfigFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Takes the file and its folder from other users of the machine, and returns a warning if they had access. Windows has no such modes:
   * there the file inherits the access of the user's own folder.
   */
  repairAccess(platform: NodeJS.Platform = process.platform): string | undefined {
    if (platform === 'win32') return undefined;
    const fileMode = openMode(this.path);
    const folderMode = fileMode === undefined ? undefined : openMode(dirname(this.path));
    const was = [
      ...(fileMode ? [`could be read by other users of this machine (mode ${fileMode.toString(8)})`] : []),
      ...(folderMode ? [`is in a folder that was open to other users (mode ${folderMode.toString(8)})`] : []),
    ];
    if (was.length === 0) return undefined;
    const found = `${this.path}, which has your sign-ins, ${was.join(', and ')}.`;
    try {
      if (fileMode) chmodSync(this.path, 0o600);
      if (folderMode) chmodSync(dirname(this.path), 0o700);
    } catch (error) {
      return `${found} It could not be changed (${(error as NodeJS.ErrnoException).code}): change its owner or its mode, then sign in again`;
    }
    return `${found} Now only you can. If others use this machine, run bms logout and bms login: copies of the old sign-ins then no longer work`;
  }

  /** Without a file there are no profiles. */
  read(): Config {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
      throw badInput(`${this.path}: ${(error as NodeJS.ErrnoException).code}`, error);
    }
    try {
      const { current, profiles } = JSON.parse(text) as Partial<Config>;
      return { ...(typeof current === 'string' && { current }), profiles: { ...profiles } };
    } catch (error) {
      throw badInput(`${this.path} is not valid JSON; delete it and sign in again`, error);
    }
  }

  /** Replaces the file at once, under the lock. */
  async update(change: (config: Config) => Config | Promise<Config>): Promise<Config> {
    return this.#locked(async () => {
      const changed = await change(this.read());
      const partial = `${this.path}.${process.pid}.partial`;
      writeFileSync(partial, `${JSON.stringify(changed, undefined, 2)}\n`, { mode: 0o600 });
      renameSync(partial, this.path);
      return changed;
    });
  }

  /** Two commands at once must not both use a refresh token, which works once. */
  async #locked<T>(work: () => Promise<T>): Promise<T> {
    const folder = dirname(this.path);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    const lock = `${this.path}.lock`;
    while (!takeLock(lock)) await pause(lockPollMs);
    try {
      return await work();
    } finally {
      rmSync(lock, { force: true });
    }
  }
}

/** The mode if others than the owner have any access; 0 if not, undefined if there is no such file. */
const openMode = (path: string): number | undefined => {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) return undefined;
  return (mode & 0o077) === 0 ? 0 : mode & 0o777;
};

const takeLock = (lock: string): boolean => {
  try {
    closeSync(openSync(lock, 'wx', 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const takenMs = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  if (Date.now() - takenMs > lockStaleMs) rmSync(lock, { force: true });
  return false;
};
