/** The rolling audit: it reads what captures never read again, finds what they have lost, tells of it, and has it corrected. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { beforeAll, test } from 'vitest';
import { alerts } from '../../../shared/contract/endpoints/alerts.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { pitr } from '../../../shared/contract/endpoints/pitr.ts';
import { ageBase, auditOnce, loseLastBatch } from '../../harness/stage/audit.ts';
import { newDestination, newProject, seed } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { contentsOf, planRestore, restore } from '../../harness/stage/restore.ts';
import { lookUntil } from '../../harness/time/look-until.ts';

let organization: TestOrganization;
let project: Awaited<ReturnType<typeof newProject>>;
const by = () => ({ token: organization.owner.accessToken, org: organization.id, params: { projectId: project.id } });
const readPitr = async () => (await call(pitr.get, by())).body.data;

const name = (stringValue: string) => ({ name: { stringValue } });
const users = Object.fromEntries(Array.from({ length: 13 }, (_, n) => [`users/u${10 + n}`, name(`${n}`)]));

beforeAll(async () => {
  organization = await newOrganization();
  const [connected, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  project = connected;
  await seed(project.sourceProjectId, { ...users, 'users/ada': name('Ada') });
  const body = { storageDestinationId: destination.id, captureIntervalSeconds: 10, auditDays: 7 };
  equal((await call(pitr.enable, { ...by(), body })).status, 202);
  await lookUntil(readPitr, ({ lastCapture }) => lastCapture !== null);
  await ageBase(organization, project.id, 3);
});

test('audit: a day reads its share of the documents, and the next day continues there', async () => {
  const first = await auditOnce(organization, project.id);
  deepEqual([first.problem, first.documents, first.differences], [null, 2, 0]);
  // Two documents, and a count that proves that there are no more.
  equal(first.cost.reads, 3);
  const second = await auditOnce(organization, project.id);
  deepEqual([second.problem, second.documents, second.differences], [null, 4, 0]);
  equal(second.auditedSince, first.auditedSince);
});

test('audit: what captures have lost is named with both versions, told as an incident, marked and corrected', async () => {
  const { changesCaptured, baseBackupId } = await readPitr();
  await seed(project.sourceProjectId, { 'users/ada': name('Countess') });
  await lookUntil(readPitr, (seen) => seen.changesCaptured > changesCaptured);
  await seed(project.sourceProjectId, { 'users/u22': name('changed') });
  await lookUntil(readPitr, (seen) => seen.changesCaptured > changesCaptured + 1);
  await loseLastBatch(organization, project.id);
  let audit = await auditOnce(organization, project.id);
  for (let day = 0; day < 7 && audit.differences === 0; day++) audit = await auditOnce(organization, project.id);
  deepEqual([audit.problem, audit.differences], [null, 1]);

  const { data } = (await call(pitr.divergences, by())).body;
  const [found] = data;
  deepEqual([data.length, found?.path], [1, 'users/u22']);
  ok(found?.captured && found.source && found.captured.updateTime < found.source.updateTime);
  const [marked] = (await call(pitr.windows, by())).body.data.diverged;
  deepEqual([marked?.from, marked?.documentCount, marked?.collections], [found.from, 1, ['users']]);
  ok(marked && found.from < found.source.updateTime && found.source.updateTime < marked.to);
  const incidents = await lookUntil(
    async () => (await call(alerts.incidents, by())).body.data,
    (all) => all.length > 0,
  );
  deepEqual(
    incidents.map(({ kind, status, subject }) => [kind, status, subject.id]),
    [['capture_diverged', 'open', project.id]],
  );
  match(incidents[0]?.message ?? '', /^One document of Project differed/);

  // The next base has read the source. What was captured is corrected: the first second after the audit has it.
  const { baseBackupId: next } = await lookUntil(readPitr, (seen) => seen.baseBackupId !== baseBackupId);
  const base = (await call(backups.get, { ...by(), params: { backupId: next ?? '' } })).body.data;
  deepEqual([base.trigger, base.builtFrom], ['pitr-base', 'source']);
  const target = await newProject(organization);
  const at = (ms: number) => ({
    projectId: project.id,
    pointInTime: new Date(ms).toISOString(),
    targetProjectId: target.id,
  });
  const markedMs = Date.parse(marked.to);
  equal((await planRestore(organization, at(markedMs - 1_000))).diverged?.documentCount, 1);
  const corrected = at(Math.ceil(markedMs / 1_000) * 1_000);
  const planned = await planRestore(organization, corrected);
  deepEqual([planned.create, planned.diverged], [14, null]);
  await restore(organization, corrected);
  deepEqual(await contentsOf(target.sourceProjectId), await contentsOf(project.sourceProjectId));
});
