/** `key`: prints the data keys that a backup needs, to be stored apart from the bucket and KMS. */
import type { OpenBackup } from './open-backup.ts';
import { Listing, note, type Output } from './output.ts';

/** The key of the backup first, then id and key of each earlier backup that it references. */
export const printKey = async ({ identity, manifest, dataKey }: OpenBackup, output: Output): Promise<void> => {
  note('Anyone with this key and the bucket can read the backup: store it offline. Pass it with --key-file or ARCHIVE_KEY.');
  const listing = new Listing<BackupKey>(output, ({ backup, key }) => (backup === identity.backup ? key : `${backup} ${key}`));
  const earlier = new Set(manifest.objects.map(({ backup }) => backup).filter((backup) => backup !== identity.backup));
  for (const backup of [identity.backup, ...[...earlier].sort()])
    await listing.add({ backup, key: (await dataKey(backup)).toString('base64url') });
  await listing.end();
};

interface BackupKey {
  readonly backup: string;
  readonly key: string;
}
