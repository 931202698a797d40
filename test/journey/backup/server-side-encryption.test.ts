/** Server-side encryption of a storage destination: tested before it is stored, and returned. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { beforeAll, describe, test } from 'vitest';
import { storageDestinations as rows } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { newBucket } from '../../harness/stage/backup.ts';
import { call, type Result } from '../../harness/stage/client.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { getItem, putItem } from '../../harness/stage/table.ts';

const keys = { accessKeyId: 'AKIAENCRYPTING', secretAccessKey: 'secret' };
let by: { readonly token: string; readonly org: string };
let bucket: string;
beforeAll(async () => {
  const organization = await newOrganization();
  by = { token: organization.owner.accessToken, org: organization.id };
  bucket = await newBucket();
});

const create = (more: object = {}) =>
  call(rows.create, { ...by, body: { name: 'Bucket', type: 's3', bucket, credentials: keys, ...more } });
const made = async (more: object = {}) => {
  const result = await create(more);
  equal(result.status, 201, result.text);
  return result.body.data;
};
const update = (storageId: string, body: object) => call(rows.update, { ...by, params: { storageId }, body });
const refused = (result: Result<unknown>, reason: RegExp) => {
  deepEqual(
    { status: result.status, code: result.body.error?.code, step: result.body.error?.details.step },
    { status: 422, code: 'STORAGE_ERROR', step: 'write' },
    result.text,
  );
  match(String(result.body.error.details.reason), reason);
};

describe('server-side encryption', () => {
  const keyArn = 'arn:aws:kms:eu-central-1:210987654321:key/1234abcd-12ab-34cd-56ef-1234567890ab';
  const shown = async (id: string) => {
    const { sse, sseKmsKeyId } = (await call(rows.get, { ...by, params: { storageId: id } })).body.data;
    return [sse, sseKmsKeyId];
  };

  test("defaults to the bucket's own encryption, also for records older than the setting", async () => {
    const { id } = await made();
    deepEqual(await shown(id), [null, null]);
    const key = { pk: `ORG#${by.org}`, sk: `DESTINATION#${id}` };
    const { sse: _sse, sseKmsKeyId: _key, ...older } = (await getItem(key)) as Record<string, unknown>;
    await putItem({ ...older, ...key });
    deepEqual(await shown(id), [null, null]);
    equal((await update(id, { name: 'Older' })).body.data.sse, null);
    equal((await call(rows.test, { ...by, params: { storageId: id } })).status, 200);
  });

  test('is tested, stored, returned and updated; aws:kms takes a key id', async () => {
    for (const type of ['s3', 'spaces']) {
      const { id } = await made({ type, region: 'fra1', sse: 'AES256' });
      deepEqual(await shown(id), ['AES256', null]);
      for (const sseKmsKeyId of [keyArn, keyArn.split('/')[1], 'alias/backups', `mrk-${'0'.repeat(32)}`]) {
        equal((await update(id, { sse: 'aws:kms', sseKmsKeyId })).status, 200);
        deepEqual(await shown(id), ['aws:kms', sseKmsKeyId]);
      }
      equal((await update(id, { name: 'Same' })).status, 200);
      deepEqual(await shown(id), ['aws:kms', `mrk-${'0'.repeat(32)}`]);
      equal((await update(id, { sse: 'AES256' })).status, 200);
      deepEqual(await shown(id), ['AES256', null]);
      equal((await update(id, { sseKmsKeyId: keyArn })).body.error?.details.field, 'sseKmsKeyId');
      equal((await update(id, { sse: null })).status, 200);
      deepEqual(await shown(id), [null, null]);
    }
  });

  test('is refused and not stored if the key does not exist or the store ignores it', async () => {
    const missing = { sse: 'aws:kms', sseKmsKeyId: 'alias/missing' };
    refused(await create(missing), /KMS\.NotFoundException/);
    refused(await create({ sse: 'AES256', credentials: { ...keys, accessKeyId: 'nosse' } }), /ignores the setting/);
    const { id } = await made();
    refused(await update(id, missing), /KMS\.NotFoundException/);
    deepEqual(await shown(id), [null, null]);
  });
});
