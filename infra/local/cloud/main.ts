/** `npm run cloud`: KMS and the buckets only, to read backups while the service is stopped. */

import { port, readSettings, StartError } from '../base/settings.ts';
import { region, rootAccessKeyId } from '../base/types.ts';
import { startCloud } from './start-cloud.ts';

try {
  const cloud = await startCloud({ ...readSettings(process.env), kmsPort: port(process.env, 'KMS_PORT', 4567) });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void cloud.stop().then(() => process.exit(0)));
  console.log(`export AWS_ACCESS_KEY_ID=${rootAccessKeyId} AWS_SECRET_ACCESS_KEY=local AWS_REGION=${region}`);
  console.log(`S3 ${cloud.s3Url}  Google Cloud Storage ${cloud.gcsUrl}  KMS ${cloud.kmsUrl}`);
  console.log(`ready ${cloud.kmsUrl}`);
} catch (error) {
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
}
