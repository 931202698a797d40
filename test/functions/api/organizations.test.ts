import { deepEqual, equal, ok } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { startInProcessApi } from '../../harness/aws/in-process-api.ts';

const api = await startInProcessApi();
afterAll(() => api.stop());

test('organizations: a session whose user no longer exists creates none', async () => {
  const body = JSON.stringify({ name: 'Late' });
  const headers = {
    authorization: `Bearer ${api.token}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
  };
  const create = () => api.send(organizations.create, { method: 'POST', path: organizations.create.path, headers, body });
  equal((await create()).status, 201);
  const profile = [...api.table.items.keys()].find((name) => name.endsWith('PROFILE'));
  ok(profile);
  api.table.items.delete(profile);
  const before = [...api.table.items.keys()].filter((name) => name.startsWith('ORG#'));
  const { status, body: answer } = await create();
  deepEqual([status, answer.error?.code], [401, 'UNAUTHORIZED']);
  deepEqual(
    [...api.table.items.keys()].filter((name) => name.startsWith('ORG#')),
    before,
  );
});
