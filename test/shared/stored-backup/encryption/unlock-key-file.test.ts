import { deepEqual, equal } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { encodeKeyFile } from '../../../../shared/archive/index.ts';
import { newId, unsafeTenant } from '../../../../shared/platform/index.ts';
import { unlockKeyFile } from '../../../../shared/stored-backup/encryption/data-key.ts';
import { scriptAws } from '../../../harness/aws/scripted-aws.ts';

const aws = await scriptAws();
afterAll(() => aws.stop());

const tenant = unsafeTenant(newId('organization'), 'record');
const archive = { organization: tenant.organizationId, project: newId('project'), backup: newId('backup') };
const claimed = 'arn:aws:kms:eu-central-1:000000000000:key/claimed';
const blob = Buffer.from('wrapped');
const keyFile = encodeKeyFile({ identity: archive, wraps: [{ kind: 'kms', keyId: claimed, blob }] });
const Plaintext = Buffer.alloc(32, 7).toString('base64');

test('unlockKeyFile: the key id is the one KMS used, not the one that the key file claims', async () => {
  const used = 'arn:aws:kms:eu-central-1:123456789012:key/used';
  aws.play({ Decrypt: () => ({ Plaintext, KeyId: used }) });
  const { dataKey, encryption } = await unlockKeyFile(tenant, keyFile, { archive });
  deepEqual(encryption, { mode: 'kms', keyId: used });
  equal(dataKey.length, 32);
});

test('unlockKeyFile: a key id that KMS does not confirm is unverified', async () => {
  aws.play({ Decrypt: () => ({ Plaintext }) });
  deepEqual((await unlockKeyFile(tenant, keyFile, { archive })).encryption, { mode: 'kms', keyId: 'unverified' });
});
