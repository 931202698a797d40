import { equal, notDeepEqual, notEqual, ok, rejects } from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, test } from 'vitest';
import { seal, secretValue, sign, unseal } from '../../../../shared/platform/index.ts';
import { Fault, scriptAws } from '../../../harness/aws/scripted-aws.ts';
import { anyCharacter } from '../../../harness/builders/any-character.ts';

const aws = await scriptAws({ GetSecretValue: () => new Fault('ResourceNotFoundException') });
afterAll(aws.stop);

test('secretValue: a failed read is repeated, a successful one is cached', async () => {
  await rejects(secretValue('SERVICE_SECRET_ID'), { name: 'ResourceNotFoundException' });
  aws.play({ GetSecretValue: () => ({ SecretString: 'a'.repeat(64) }) });
  equal(await secretValue('SERVICE_SECRET_ID'), 'a'.repeat(64));
  await secretValue('SERVICE_SECRET_ID');
  equal(aws.calls.length, 1);
});

test('seal: sealed text opens only with the same purpose and binding', async () => {
  const sealed = await seal('cursor', 'org|list', 'text');
  equal(await unseal('cursor', 'org|list', sealed), 'text');
  equal(await unseal('cursor', 'org|other', sealed), undefined);
  equal(await unseal('answer', 'org|list', sealed), undefined);
});

test('seal: sealing the same text twice gives different results', async () => {
  notEqual(await seal('cursor', 'x', 'text'), await seal('cursor', 'x', 'text'));
});

test('unseal: text with a changed bit, cut text and other encodings do not open', async () => {
  const sealed = await seal('cursor', 'x', 'position 7');
  const bytes = Buffer.from(sealed, 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    equal(await unseal('cursor', 'x', changed.toString('base64url')), undefined);
  }
  for (let length = 0; length < bytes.length; length++)
    equal(await unseal('cursor', 'x', bytes.subarray(0, length).toString('base64url')), undefined);
  for (const other of [`${sealed}=`, ` ${sealed}`, `${sealed}\n`, bytes.toString('base64'), ''])
    if (other !== sealed) equal(await unseal('cursor', 'x', other), undefined);
});

test('unseal: arbitrary text never throws', () =>
  fc.assert(
    fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 200 }), async (text) => {
      ok((await unseal('cursor', 'x', text)) === undefined);
    }),
  ));

test('sign: signatures differ by purpose and by text', async () => {
  const one = await sign('invitation', 'a');
  notDeepEqual(one, await sign('cursor', 'a'));
  notDeepEqual(one, await sign('invitation', 'b'));
  equal(one.length, 32);
});
