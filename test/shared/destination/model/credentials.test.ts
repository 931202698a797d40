import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { maskCredentials, maskedField } from '../../../../shared/destination/model/credentials.ts';
import { secretMask as mask } from '../../../../shared/platform/index.ts';
import { account, keys } from '../../../harness/store/store-stands.ts';

test('maskCredentials: secrets are masked; of a key id only the end is shown, and nothing of a short one', () => {
  deepEqual(maskCredentials(keys), { accessKeyId: `${mask}0000`, secretAccessKey: mask });
  deepEqual(maskCredentials({ accessKeyId: 'short', secretAccessKey: 'x' }), { accessKeyId: mask, secretAccessKey: mask });
  deepEqual(maskCredentials(account), { clientEmail: account.clientEmail, privateKey: mask });
  deepEqual(maskCredentials({ roleArn: 'arn:aws:iam::1:role/r' }), { roleArn: 'arn:aws:iam::1:role/r' });
});

test('maskedField: a masked value is detected, also as a part', () => {
  equal(maskedField(keys), undefined);
  equal(maskedField(account), undefined);
  equal(maskedField({ ...keys, secretAccessKey: mask }), 'secretAccessKey');
  equal(maskedField({ ...keys, accessKeyId: `${mask}0000` }), 'accessKeyId');
  equal(maskedField({ ...account, privateKey: `-----BEGIN PRIVATE KEY-----\n${mask}\n-----END PRIVATE KEY-----` }), 'privateKey');
});
