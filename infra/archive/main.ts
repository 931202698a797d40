/**
 * `npm run archive`: reads backups straight from the bucket with the key or the passphrase, and nothing else of ours running:
 * losing the service must not mean losing the data. It only ever reads. shared/archive/README.md defines what it reads.
 */
import { manifestName } from '../../shared/archive/index.ts';
import { exportBackup } from './export-backup.ts';
import { damaged, failureOf, unusable } from './failure.ts';
import { findBackups, list, listBackups } from './list.ts';
import { openBackup } from './open-backup.ts';
import { type BackupLocation, openLocation } from './open-location.ts';
import { openOutput, say } from './output.ts';
import { type Command, parseCommand, usage } from './parse-command.ts';
import { printKey } from './print-key.ts';
import { show } from './show.ts';
import { verify } from './verify.ts';

const run = async (command: Command): Promise<void> => {
  const place = await openLocation(command.location, command);
  const output = openOutput(command.out, command);
  try {
    await (command.name === 'ls' && !(await isBackup(place)) ? runOnFolder(place, command) : runOnBackup(place, command));
    await output.finish();
  } catch (error) {
    await output.abort();
    throw error;
  } finally {
    place.close();
  }

  async function runOnFolder(folder: BackupLocation, { path }: Command): Promise<void> {
    const backups = await findBackups(folder);
    if (backups.size === 0) throw unusable(`there is no backup at ${folder.displayName}`);
    if (path !== '') throw unusable(`${folder.displayName} is no backup itself: ls it to see those below`);
    await listBackups(folder, backups, output);
  }

  async function runOnBackup(folder: BackupLocation, { name, path, collections, users, depth, ...rest }: Command): Promise<void> {
    const backup = await openBackup(folder, rest).catch((error: unknown) => explain(folder, error));
    if (name === 'ls') await list(backup, path, output);
    else if (name === 'cat') await show(backup, path, output);
    else if (name === 'export') await exportBackup(backup, { collections, users }, output);
    else if (name === 'verify') await verify(backup, depth, output);
    else await printKey(backup, output);
  }
};

const isBackup = async ({ store }: BackupLocation): Promise<boolean> =>
  (await store.head(manifestName)) !== undefined || (await store.head('key')) !== undefined;

/** Without a manifest there may be no backup at all, an unfinished one, or several further below. */
const explain = async (place: BackupLocation, error: unknown): Promise<never> => {
  const failure = failureOf(error);
  if (failure.exitCode !== 1 || !failure.message.startsWith(`${manifestName}: is missing`)) throw failure;
  const backups = await findBackups(place);
  if (backups.has(''))
    throw damaged(manifestName, 'is missing: the backup was never finished, or the manifest was removed', error);
  if (backups.size === 0) throw unusable(`there is no backup at ${place.displayName}`, error);
  throw unusable(`${place.displayName} holds ${backups.size} backups: name one of those that ls lists`, error);
};

try {
  const command = parseCommand(process.argv.slice(2));
  if (command) await run(command);
  else console.log(usage);
} catch (error) {
  const failure = failureOf(error);
  say(failure.message);
  process.exitCode = failure.exitCode;
}
