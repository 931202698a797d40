/** Masked copies over the stage: a restore into another project with rules, as people and their applications see it. */
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { Firestore, Timestamp } from '@google-cloud/firestore';
import { beforeAll, test } from 'vitest';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { restores } from '../../../shared/contract/endpoints/restores.ts';
import { newProject, seed, takeBackup } from '../../harness/stage/backup.ts';
import { call, stageVariable } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { contentsOf, endOfRestore, planRestore, restore, startRestore, undo } from '../../harness/stage/restore.ts';
import { getItem } from '../../harness/stage/table.ts';

let organization: TestOrganization;
let backup: Awaited<ReturnType<typeof takeBackup>>;
let sourceId: string;
const clientOf = (projectId: string): Firestore =>
  new Firestore({ projectId, host: stageVariable('STAGE_FIRESTORE'), ssl: false });
const create = (body: object) => call(restores.create, { token: organization.owner.accessToken, org: organization.id, body });

const rules = [
  { collection: 'customers', field: 'name', transform: 'fake', type: 'name' },
  { collection: '**', field: 'email', transform: 'fake', type: 'e-mail' },
  { collection: 'customers', field: 'iban', transform: 'fake', type: 'IBAN' },
  { collection: 'customers', field: 'born', transform: 'redact' },
  { collection: 'customers', field: 'cards[].number', transform: 'redact' },
  { collection: '*', field: 'customerId', transform: 'hash' },
  { collection: 'customers/*/orders', field: 'note', transform: 'null' },
  { collection: 'customers', field: 'plan', transform: 'keep' },
];

beforeAll(async () => {
  organization = await newOrganization();
  const source = await newProject(organization);
  sourceId = source.sourceProjectId;
  const client = clientOf(sourceId);
  for (let n = 0; n < 12; n++) {
    const customer = client.doc(`customers/c${n}`);
    await customer.set({
      customerId: `c${n}`,
      name: `Person ${n}`,
      email: `person${n}@shop.test`,
      iban: `DE0212030000000020${String(n).padStart(4, '0')}`,
      born: Timestamp.fromMillis((n + 1) * 1e9),
      cards: [{ number: `41111111111111${n}`, brand: 'visa' }],
      plan: 'pro',
    });
    await customer
      .collection('orders')
      .doc('o1')
      .set({ customerId: `c${n}`, customer, note: 'secret gift', total: 12.5 });
  }
  await client.doc('shops/one').set({ title: 'One', location: 'Berlin' });
  backup = await takeBackup(organization, { projectId: source.id });
});

test('a masked copy hides what its rules name, keeps types and references consistent, and leaves the rest as it is', async () => {
  const target = await newProject(organization, { name: 'Staging' });
  const body = { backupId: backup.id, targetProjectId: target.id };
  const plan = await planRestore(organization, { ...body, options: { transform: { rules } } });
  equal(plan.create, 25);
  deepEqual([plan.transform?.rules, plan.transform?.documentsTransformed, plan.transform?.unmatchedRules], [8, 24, []]);
  equal(plan.transformPreview?.length, 10);
  equal(plan.ruleMatches?.find(({ field }) => field === 'customerId')?.documents, 24);
  const shown = plan.transformPreview?.find(({ path }) => /^customers\/c\d+$/.test(path));
  match(JSON.stringify(shown?.before), /person\d+@shop\.test/);
  match(JSON.stringify(shown?.after), /@example\.(com|org)/);
  deepEqual(await contentsOf(target.sourceProjectId), {});

  const ended = await restore(organization, { ...body, options: { transform: rules } });
  deepEqual(
    [ended.documentsRestored, ended.includeAuthUsers, ended.transform?.documentsTransformed, ended.transform?.fieldsTransformed],
    [25, false, 24, 12 * 6 + 12 * 2],
  );
  const copy = clientOf(target.sourceProjectId);
  const all = await copy.collection('customers').get();
  equal(all.size, 12);
  for (const customer of all.docs) {
    const data = customer.data();
    ok(!/Person|shop\.test/.test(JSON.stringify(data)));
    match(data.email, /@example\.(com|org)$/);
    match(data.iban, /^DE\d{20}$/);
    deepEqual([data.born.toMillis(), data.cards, data.plan], [0, [{ number: '[redacted]', brand: 'visa' }], 'pro']);
    const order = (await customer.ref.collection('orders').doc('o1').get()).data();
    equal(order?.customerId, data.customerId);
    notEqual(data.customerId, customer.id);
    deepEqual([order?.note, order?.total, order?.customer.path], [null, 12.5, customer.ref.path]);
    equal(order?.customer.firestore.projectId, target.sourceProjectId);
  }
  deepEqual((await contentsOf(target.sourceProjectId))['shops/one'], (await contentsOf(sourceId))['shops/one']);

  const again = await restore(organization, { ...body, options: { transform: rules } });
  const emails = async () => (await copy.doc('customers/c1').get()).get('email') as string;
  notEqual(await emails(), all.docs.find(({ id }) => id === 'c1')?.get('email'), 'each job has a key of its own');
  await undo(organization, again.restoreJobId);
  equal(await emails(), all.docs.find(({ id }) => id === 'c1')?.get('email'));
  // The key is destroyed once everything is written.
  equal(await getItem({ pk: `ORG#${organization.id}`, sk: `MASK#${ended.restoreJobId}` }), undefined);

  const by = { token: organization.owner.accessToken, org: organization.id };
  const history = (await call(restores.list, { ...by, query: { projectId: target.id } })).body.data;
  equal(history.find(({ restoreJobId }) => restoreJobId === ended.restoreJobId)?.transform?.documentsTransformed, 24);
  const audit = (await call(auditLogs.list, { ...by, query: { action: 'restore.completed' } })).text;
  match(audit, /"fieldsTransformed":96/);
  ok(!/shop\.test|Person 1/.test(audit + JSON.stringify(history)));
});

test('a masked copy is refused with a clear error, and nothing starts', async () => {
  const target = await newProject(organization);
  const twin = await newProject(organization, { name: 'Twin', sourceProjectId: sourceId });
  const one = { collection: 'customers', field: 'email', transform: 'redact' };
  const into = (targetProjectId: string | undefined, transform: unknown, more: object = {}) =>
    create({ backupId: backup.id, targetProjectId, options: { transform, ...more } });
  const cases: readonly (readonly [Awaited<ReturnType<typeof create>>, string, RegExp])[] = [
    [await into(undefined, [one]), 'targetProjectId', /never written into its source/],
    [await into(backup.projectId, [one]), 'targetProjectId', /never written into its source/],
    [await into(twin.id, [one]), 'targetProjectId', /never written into its source/],
    [await into(target.id, [one], { includeAuthUsers: true }), 'options.includeAuthUsers', /users would be copied/],
    [await into(target.id, [{ ...one, transform: 'scramble' }]), 'options.transform.rules.0.transform', /redact, hash, fake/],
    [await into(target.id, [one, { ...one, transform: 'hash' }]), 'options.transform.rules.1', /overlaps with rule 1/],
    [await into(target.id, [one, { ...one, field: 'emial' }]), 'options.transform.rules.1', /matches no field/],
    [await into(target.id, [{ ...one, field: 'emial' }], { dryRun: true }), 'options.transform.rules.0', /matches no field/],
    [await into(target.id, Array(10_000).fill(one)), 'options.transform.rules', /at most 200 rules/],
  ];
  for (const [{ status, body, text }, field, reason] of cases) {
    deepEqual([status, body.error.code, body.error.details.field], [400, 'VALIDATION_ERROR', field], text);
    match(body.error.message, reason);
  }
  deepEqual(await contentsOf(target.sourceProjectId), {});
  const allowed = await startRestore(organization, {
    backupId: backup.id,
    targetProjectId: target.id,
    collections: ['customers'],
    options: { transform: { rules: [one, { ...one, field: 'emial' }], allowUnmatched: true } },
  });
  const ended = await endOfRestore(organization, allowed.restoreJobId);
  deepEqual([ended.status, ended.transform?.unmatchedRules], ['completed', [{ ...one, field: 'emial' }]]);
  equal(ended.ruleMatches?.[0]?.documents, 12);
});

test('documents that exist are kept with skip_existing, and their rules count as matched', async () => {
  const target = await newProject(organization);
  await seed(target.sourceProjectId, { 'customers/c1': { name: { stringValue: 'here before' } } });
  const before = await contentsOf(target.sourceProjectId);
  const rule = { collection: 'customers', field: 'email', transform: 'redact' };
  // Existing documents are kept, and still count as matched.
  const kept = await restore(organization, {
    backupId: backup.id,
    targetProjectId: target.id,
    documentIds: ['customers/c1'],
    options: { mergeMode: 'skip_existing', transform: [rule] },
  });
  deepEqual([kept.documentsSkipped, kept.ruleMatches?.[0]?.documents], [1, 1]);
  deepEqual((await contentsOf(target.sourceProjectId))['customers/c1'], before['customers/c1']);
});
