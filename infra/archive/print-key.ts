/** `key`: the data keys that a backup needs, to be kept where neither the bucket nor KMS is. */
import type { OpenBackup } from './open-backup.ts';
import { type Output, say } from './output.ts';

/** First the backup's own key, then, with their ids, those of the earlier backups that it points into. */
export const printKey = async ({ identity, manifest, dataKey }: OpenBackup, output: Output): Promise<void> => {
  say('Whoever has this key and the bucket can read the backup: keep it offline. --key-file or ARCHIVE_KEY takes it.');
  await output.line((await dataKey(identity.backup)).toString('base64url'));
  const earlier = new Set(manifest.objects.map(({ backup }) => backup).filter((backup) => backup !== identity.backup));
  for (const backup of [...earlier].sort()) await output.line(`${backup} ${(await dataKey(backup)).toString('base64url')}`);
};
