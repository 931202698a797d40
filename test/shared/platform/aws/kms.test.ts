/** A rejected use of the service's own keys is logged with the line that an alarm matches. */
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
  test(`kms: ${name} of the secrets key triggers the alarm and is rethrown`, async () => {
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

test('kms: neither a tampered record nor a backup’s data key triggers this alarm', async () => {
  refusal = 'InvalidCiphertextException';
  await assert.rejects(openSecret(sealed, {}), { name: refusal });
  refusal = 'DisabledException';
  await assert.rejects(openDataKey(sealed, {}), { name: refusal });
  assert.deepEqual(rung(), []);
});
