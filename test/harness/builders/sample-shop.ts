/** A small shop, backed up in three chunks, and a target that differs from it in every possible way. */
import type { BackupRecord } from '../../../shared/stored-backup/index.ts';
import type { Fields, RestoreEnv } from '../env/restore-env.ts';

export const text = (stringValue: string): Fields => ({ text: { stringValue } });
const letters = 'x'.repeat(200);

/** Ranges of collections that are not adjacent have chunks of their own. */
export const collections = ['a', 'c', 'e'];
const all = (id: string, count: number): readonly string[] => Array.from({ length: count }, (_, n) => `${id}/${n}`);

export const same = [...all('a', 4), 'c/1/deep/2'];
export const changed = [...all('c', 3), 'e/1/gone/2/deep/3'];
export const absent = all('e', 3);
/** In the target only. */
export const extra = ['a/extra', 'c/extra/deep/1'];
/** In the target only, outside the backup's collections. */
export const outside = ['b/1', 'zz/1'];

/** Resets the environment and returns the backup of the shop. */
export const backUpShop = async (t: RestoreEnv): Promise<BackupRecord> => {
  t.reset();
  const fields = (paths: readonly string[], more: string) =>
    Object.fromEntries(paths.map((path) => [path, text(`${path} ${more} ${letters}`)]));
  await t.put(fields([...same, ...changed, ...absent], 'as backed up'));
  const backup = await t.takeBackup({ collections });
  await t.putTarget({ ...fields(same, 'as backed up'), ...fields([...changed, ...extra, ...outside], 'as it is') });
  return backup;
};
