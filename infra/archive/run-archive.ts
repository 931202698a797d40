/**
 * `bms archive`: reads backups directly from the bucket with a key or a passphrase. It needs no running service, so losing
 * the service does not mean losing the data. It never writes. The format is defined in shared/archive/README.md.
 */
import { manifestName } from '../../shared/archive/index.ts';
import type { NamedBackup } from './database-list.ts';
import { verifyEvidence } from './evidence/verify-evidence.ts';
import { exportBackup } from './export/export-backup.ts';
import { isFolderFormat } from './export/export-options.ts';
import { damaged, failureOf, unusable } from './failure.ts';
import { findBackups, list, listBackups } from './list.ts';
import { type OpenBackup, openBackup } from './open-backup.ts';
import { type BackupLocation, openLocation } from './open-location.ts';
import { type Output, openOutput, say } from './output.ts';
import { type Command, parseCommand, usage } from './parse-command.ts';
import { printConfiguration, printConfigurationDiff } from './print-configuration.ts';
import { printKey } from './print-key.ts';
import { show } from './show.ts';
import { verify } from './verify.ts';

/** A backup and the database under which it is served, if not under its own. */
export interface ServedBackup {
  readonly backup: OpenBackup;
  readonly databaseId?: string;
}

/** `open`: serves backups until the signal. */
export type MountBackups = (
  backups: readonly ServedBackup[],
  options: Pick<Command, 'port' | 'overlay' | 'mask' | 'allowedOrigins'> & { readonly signal: AbortSignal | undefined },
  output: Output,
) => Promise<void>;

const servedCacheBytes = 24 << 20;

interface Caller {
  /** The embedded Firestore lies above this command, which is independent of it. */
  readonly mountBackups?: MountBackups;
  readonly signal?: AbortSignal;
}

/** Returns the exit code. */
export const runArchive = async (args: readonly string[], caller: Caller = {}): Promise<number> => {
  try {
    const command = parseCommand(args);
    if (command) await run(command, caller);
    else console.log(usage);
    return 0;
  } catch (error) {
    const failure = failureOf(error);
    say(failure.message);
    return failure.exitCode;
  }
};

const run = async (command: Command, { mountBackups, signal }: Caller): Promise<void> => {
  if (command.name === 'verify-evidence') return runOnEvidence(command);
  const location = await openLocation(command.location, command);
  // A folder is opened by the export itself.
  const output = openOutput(isFolderFormat(command.format) ? undefined : command.out, command);
  try {
    await (command.name === 'ls' && !(await isBackup(location))
      ? runOnFolder(location, command)
      : runOnBackup(location, command));
    await output.finish();
  } catch (error) {
    await output.abort();
    throw error;
  } finally {
    location.close();
  }

  async function runOnFolder(folder: BackupLocation, { path }: Command): Promise<void> {
    const backups = await findBackups(folder);
    if (backups.size === 0) throw unusable(`no backup found at ${folder.displayName}`);
    if (path !== '') throw unusable(`${folder.displayName} contains backups but is not one: list them with ls`);
    await listBackups(folder, backups, output);
  }

  async function mount(backups: readonly ServedBackup[]): Promise<void> {
    if (!mountBackups) throw unusable('open: this program only reads archives; bms archive open serves them');
    await mountBackups(backups, { ...command, signal }, output);
  }

  /** The backups in the folder that `--databases` names. */
  async function mountSeveral(list: readonly NamedBackup[]): Promise<void> {
    const locations: BackupLocation[] = [];
    try {
      const backups: ServedBackup[] = [];
      for (const { databaseId, backup } of list) {
        const one = await openLocation(`${location.displayName}/${backup}`, command);
        locations.push(one);
        backups.push({ databaseId, backup: await open(one, command) });
      }
      await mount(backups);
    } finally {
      for (const one of locations) one.close();
    }
  }

  async function showConfiguration(backup: OpenBackup, other: string): Promise<void> {
    if (other === '') return printConfiguration(backup, output);
    const against = await openLocation(other, command);
    try {
      await printConfigurationDiff(backup, await open(against, command), output);
    } finally {
      against.close();
    }
  }

  function open(folder: BackupLocation, { name, ...rest }: Command): Promise<OpenBackup> {
    const leafCacheBytes = name === 'open' ? servedCacheBytes : undefined;
    // What shows no documents needs no erasure ledger.
    const isRaw = name === 'verify' || name === 'key' || name === 'config';
    const how = { ...rest, isRaw, leafCacheBytes };
    return openBackup(folder, how).catch((error: unknown) => explain(folder, error));
  }

  async function runOnBackup(folder: BackupLocation, { name, path, depth, ...rest }: Command): Promise<void> {
    if (rest.databases) return mountSeveral(rest.databases);
    const backup = await open(folder, command);
    if (name === 'ls') await list(backup, path, output);
    else if (name === 'cat') await show(backup, path, output);
    else if (name === 'export') await exportBackup(backup, rest, output);
    else if (name === 'open') await mount([{ backup }]);
    else if (name === 'config') await showConfiguration(backup, path);
    else if (name === 'verify') await verify(backup, depth, output);
    else await printKey(backup, output);
  }
};

const runOnEvidence = async (command: Command): Promise<void> => {
  const output = openOutput(undefined, command);
  try {
    await verifyEvidence(command, output);
  } finally {
    await output.finish();
  }
};

const isBackup = async ({ store }: BackupLocation): Promise<boolean> =>
  (await store.head(manifestName)) !== undefined || (await store.head('key')) !== undefined;

/** Without a manifest there is no backup, an unfinished one, or several in subfolders. */
const explain = async (location: BackupLocation, error: unknown): Promise<never> => {
  const failure = failureOf(error);
  if (failure.exitCode !== 1 || !failure.message.startsWith(`${manifestName}: is missing`)) throw failure;
  const backups = await findBackups(location);
  if (backups.has('')) throw damaged(manifestName, 'is missing: the backup never completed, or the manifest was deleted', error);
  if (backups.size === 0) throw unusable(`no backup found at ${location.displayName}`, error);
  throw unusable(`${location.displayName} contains ${backups.size} backups: choose one that ls lists`, error);
};
