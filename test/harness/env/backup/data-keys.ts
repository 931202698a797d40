/** Data keys of backups, kept in memory instead of being encrypted with KMS. */
import { createHash } from 'node:crypto';
import { JobFailure } from '../../../../shared/job/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import type { BackupDeps } from '../../../../shared/stored-backup/index.ts';

export const createDataKeys = (): Pick<BackupDeps, 'newDataKey' | 'dataKeyOf' | 'unlockKeyFile'> => {
  const keys = new Map<string, Buffer>();
  const encryption = { mode: 'kms', keyId: 'key' } as const;
  return {
    newDataKey: async (tenant, archive) => {
      const dataKey = createHash('sha256').update(`${archive.backup} ${keys.size}`).digest();
      const keyFile = Buffer.from(`the key ${keys.size} of ${archive.backup}`);
      keys.set(keyFile.toString(), dataKey);
      const { pk } = organizationKey.organization(tenant);
      const check = { check: { pk, sk: 'ENCRYPTION' }, condition: 'attribute_not_exists(pk)' };
      return { dataKey, keyFile, encryption, check };
    },
    dataKeyOf: async (_tenant, { keyFile }) => keys.get(Buffer.from(keyFile!).toString())!,
    // A key that was wrapped again is the same text with white space around it.
    unlockKeyFile: async (_tenant, keyFile) => {
      const dataKey = keys.get(Buffer.from(keyFile).toString().trim());
      if (!dataKey) throw new JobFailure('KEY_UNAVAILABLE', 'The key does not open');
      return { dataKey, encryption };
    },
  };
};
