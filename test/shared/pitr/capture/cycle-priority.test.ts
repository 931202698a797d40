import { equal } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { cyclePriority, pitrKey } from '../../../../shared/pitr/index.ts';
import { newId, unsafeTenant } from '../../../../shared/platform/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { scriptAws } from '../../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
const aws = await scriptAws(table.script);
afterAll(() => aws.stop());

const tenant = unsafeTenant(newId('organization'), 'record');
const projectId = newId('project');
table.put({ ...organizationKey.organization(tenant), id: tenant.organizationId });
table.put({ ...projectKey.project(tenant, projectId), id: projectId });
const captured = (fields: object): void =>
  table.put({ ...pitrKey.pitr(tenant, projectId), projectId, status: 'active', precision: 'second', turn: 7, ...fields });
const priority = (turn: number, isHandover = false) => cyclePriority(tenant, { projectId, turn, isHandover });

test('cycle priority: a handover is urgent while its predecessor runs, and usual when that has ended', async () => {
  captured({});
  equal(await priority(7, true), 'urgent');
  equal(await priority(6, true), 'usual');
  equal(await priority(5, true), 'drop');
});

test('cycle priority: a message of another cycle, or of a project that is not captured any more, is dropped', async () => {
  captured({});
  equal(await priority(7), 'usual');
  equal(await priority(6), 'drop');
  captured({ status: 'disabled' });
  equal(await priority(7), 'drop');
});

test('cycle priority: a cycle without listening is urgent, because it is short', async () => {
  captured({ precision: 'interval' });
  equal(await priority(7), 'urgent');
  captured({ status: 'starting' });
  equal(await priority(7), 'urgent');
});
