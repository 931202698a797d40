/** A configuration that cannot be read is no error: each part says why. */
import { deepEqual, match } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { unsafeTenant } from '../../../../shared/platform/index.ts';
import { readConfiguration } from '../../../../shared/project/index.ts';

const tenant = unsafeTenant('org_01JZ8Q4V0M6T3X9C2B7N5K1HRD', 'record');
/** Without credentials no token is requested, and nothing is sent. */
const project = {
  id: 'prj_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
  sourceProjectId: 'shop',
  databaseId: '(default)',
  connection: { type: 'service_account', email: 'reader@shop.iam.gserviceaccount.com' },
} as const;
const parts = ['settings', 'indexes', 'fields', 'rules'] as const;

beforeEach(() => {
  process.env.FIRESTORE_URL = 'http://127.0.0.1:1';
  process.env.FIREBASE_RULES_URL = 'http://127.0.0.1:1';
});

test('without access every part says so, and which role it needs', async () => {
  const found = await readConfiguration(tenant, project);
  deepEqual(
    parts.map((part) => found[part].state),
    parts.map(() => 'permission_missing'),
  );
  match(found.indexes.reason ?? '', /reconnect the project\. It needs the role roles\/datastore\.viewer$/);
  match(found.rules.reason ?? '', /roles\/firebaserules\.viewer$/);
});

test('once the time is over, nothing is waited for', async () => {
  const found = await readConfiguration(tenant, project, AbortSignal.abort());
  deepEqual(
    parts.map((part) => [found[part].state, found[part].reason]),
    parts.map(() => ['unavailable', 'There was no answer in time']),
  );
});
