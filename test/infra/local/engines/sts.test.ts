import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, test } from 'vitest';
import type { AwsError, Call } from '../../../../infra/local/base/aws-service.ts';
import { openSts } from '../../../../infra/local/engines/sts/sts-engine.ts';

const dir = mkdtempSync(join(tmpdir(), 'sts-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
let sts = openSts({ dir, account: '123456789012' });

const arn = (name: string) => `arn:aws:iam::210987654321:role/team/${name}`;
const assume = async (name: string, externalId?: string): Promise<string> => {
  const form = {
    Action: 'AssumeRole',
    RoleArn: arn(name),
    RoleSessionName: 'org_1',
    ...(externalId && { ExternalId: externalId }),
  };
  const call: Call = { method: 'POST', path: '/', headers: {}, body: Buffer.from(new URLSearchParams(form).toString()) };
  const operation = sts.read(call);
  const keys = externalId ? { 'sts:ExternalId': [externalId] } : {};
  deepEqual(sts.needs(operation), [{ action: 'sts:AssumeRole', resources: [arn(name)], keys }]);
  try {
    return String((await sts.answer(operation, call)).body);
  } catch (error) {
    return (error as AwsError).code;
  }
};

test('sts: a role requires the first ExternalId it has seen', async () => {
  equal(await assume('writer'), 'AccessDenied');
  match(await assume('writer', 'org_1'), /<AccessKeyId>ASIA\w{16}<.*<SessionToken>.+<.*<Expiration>20/);
  equal(await assume('writer', 'org_2'), 'AccessDenied');
  equal(await assume('writer'), 'AccessDenied');
});

test('sts: the required ExternalId survives a restart', async () => {
  sts = openSts({ dir, account: '123456789012' });
  equal(await assume('writer', 'org_2'), 'AccessDenied');
  ok((await assume('writer', 'org_1')).includes('Credentials'));
});

test('sts: a careless role requires none, and a denied one refuses everyone', async () => {
  for (const externalId of [undefined, 'a', 'b']) {
    ok((await assume('open-writer', externalId)).includes('Credentials'));
    equal(await assume('denied-writer', externalId), 'AccessDenied');
  }
});

test('sts: GetCallerIdentity needs no permission; other operations are unsupported', () => {
  const read = (action: string) => sts.needs({ action, input: {} });
  deepEqual(read('GetCallerIdentity'), []);
  equal(read('AssumeRoleWithSAML'), undefined);
});
