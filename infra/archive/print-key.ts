/** `key`: prints the data keys that a backup needs, to be stored apart from the bucket and KMS. */
import type { OpenBackup } from './open-backup.ts';
import { type Output, say } from './output.ts';

/** The key of the backup first, then id and key of each earlier backup that it references. */
export const printKey = async ({ identity, manifest, dataKey }: OpenBackup, output: Output): Promise<void> => {
  say('Anyone with this key and the bucket can read the backup: store it offline. Pass it with --key-file or ARCHIVE_KEY.');
  await output.line((await dataKey(identity.backup)).toString('base64url'));
  const earlier = new Set(manifest.objects.map(({ backup }) => backup).filter((backup) => backup !== identity.backup));
  for (const backup of [...earlier].sort()) await output.line(`${backup} ${(await dataKey(backup)).toString('base64url')}`);
};
