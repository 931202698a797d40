import { ApiError } from '../../contract/errors.ts';
import type { BackupRecord } from '../model/record.ts';

/** What a backup does not contain may have existed, if a collection on the way to it is not proven complete. */
export const unprovenAt = ({ lacks }: BackupRecord, path: string): ApiError | undefined => {
  if (!lacks) return undefined;
  const ids = path.split('/').filter((_, n) => n % 2 === 0);
  const unproven = ids.filter((id) => lacks.collections.includes(id));
  if (lacks.complete && unproven.length === 0) return undefined;
  const what = unproven.length > 0 ? unproven.join(', ') : 'all collections';
  return new ApiError(
    'CONFLICT',
    `The backup has nothing at this path, but it is not proven complete for ${what} (${lacks.reason})`,
    { ...lacks },
  );
};
