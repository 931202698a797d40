/** The backup engine with the S3 client and a bucket over HTTP. */
import { openConfiguredStore } from '../../../../shared/destination/open/open-store.ts';
import { unsafeTenant } from '../../../../shared/platform/index.ts';
import type { Outcome, Task } from '../bench-processes.ts';
import { makeBackup } from '../run-backup.ts';
import { serve } from './serve-tasks.ts';

const place = { type: 's3', bucket: 'bucket', region: 'eu-central-1', endpoint: null, objectLock: null } as const;
const credentials = { accessKeyId: 'bench', secretAccessKey: 'bench' };

const run = async ({ url, project, bucketUrl }: Task): Promise<Outcome> => {
  process.env.S3_URL = bucketUrl;
  const tenant = unsafeTenant('org_bench', 'record');
  const { table, ...made } = await makeBackup(url, project, (folder) =>
    openConfiguredStore(tenant, { config: place, credentials, folder }),
  );
  return { ...made, stored: 0, ...table };
};

serve(run);
