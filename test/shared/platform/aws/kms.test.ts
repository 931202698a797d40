/** That KMS refuses a key of the service is told where somebody is woken by it, whoever asked for the key. */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import { logLines } from '../../../../shared/contract/runtime/alarm-log-lines.ts';
import { openDataKey, openSecret, sealSecret } from '../../../../shared/platform/index.ts';
import { captureLog, type Line } from '../../../harness/aws/captured-log.ts';
import { Fault, scriptAws } from '../../../harness/aws/scripted-aws.ts';

let refusal = '';
let aws: Awaited<ReturnType<typeof scriptAws>>;
let captured: { readonly lines: Line[]; readonly stop: () => void };
beforeAll(async () => {
  const refuse = () => new Fault(refusal, 400);
  aws = await scriptAws({ Encrypt: refuse, Decrypt: refuse });
  process.env.SECRETS_KEY_ID = 'key';
  captured = captureLog();
});
beforeEach(() => void captured.lines.splice(0));
afterAll(() => {
  captured.stop();
  aws.stop();
});

const rung = () => captured.lines.filter(({ message }) => message === logLines.secretsKeyRefused);
const sealed = Buffer.from('sealed');

for (const name of ['AccessDeniedException', 'DisabledException', 'KMSInvalidStateException', 'NotFoundException'])
  test(`${name} of the key that seals secrets rings, and is thrown on`, async () => {
    refusal = name;
    await assert.rejects(openSecret(sealed, {}), { name });
    await assert.rejects(sealSecret('plain', {}), { name });
    assert.deepEqual(
      rung().map(({ reason, action, level }) => [reason, action, level]),
      [
        [name, 'Decrypt', 'ERROR'],
        [name, 'Encrypt', 'ERROR'],
      ],
    );
  });

test('a record that was changed wakes nobody, and neither does the key of a backup: it has an alarm of its own', async () => {
  refusal = 'InvalidCiphertextException';
  await assert.rejects(openSecret(sealed, {}), { name: refusal });
  refusal = 'DisabledException';
  await assert.rejects(openDataKey(sealed, {}), { name: refusal });
  assert.deepEqual(rung(), []);
});
