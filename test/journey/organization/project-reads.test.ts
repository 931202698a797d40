/** What the protection of a project reads a day: counted as billed, forecast, and offered for less where capture pays. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'vitest';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { schedules } from '../../../shared/contract/endpoints/schedules.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';

const by = ({ id, owner }: TestOrganization) => ({ token: owner.accessToken, org: id });

test('reads: a backup is counted on its day, the forecast follows the schedule, and a budget that is exceeded says so', async () => {
  const organization = await newOrganization();
  const sourceProjectId = `reads-${randomUUID().slice(0, 8)}`;
  await seed(sourceProjectId, Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`users/u${n}`, {}])));
  const [project, destination] = await Promise.all([newProject(organization, { sourceProjectId }), newDestination(organization)]);
  const params = { projectId: project.id };
  const reads = async () => (await call(projects.reads, { ...by(organization), params })).body.data;
  const before = await reads();
  deepEqual([before.documents, before.forecast, before.days.length, before.offers], [null, null, 30, []]);

  const { id } = await startBackup(organization, { projectId: project.id, storageDestinationId: destination.id });
  const { cost } = await endOf(organization, id);
  const schedule = await call(schedules.create, {
    ...by(organization),
    body: {
      ...{ projectId: project.id, name: 'Nightly', cron: '0 3 * * *', retention: 7 },
      storageDestinationId: destination.id,
    },
  });
  equal(schedule.status, 201, schedule.text);
  const after = await reads();
  const today = after.days.at(-1);
  deepEqual(
    [today?.backups, today?.reads, today?.estimatedUsd, today?.exceeded],
    [cost.reads, cost.reads, cost.estimatedUsd, false],
  );
  deepEqual([after.documents, after.forecast?.backups, after.forecast?.reads], [30, cost.reads, cost.reads]);
  deepEqual([after.budget.isDefault, after.budget.reads], [true, cost.reads]);
  deepEqual(
    after.choices.map(({ setting, value, current }) => [setting, value, current]),
    [
      ['precision', 'off', true],
      ['precision', 'interval', false],
      ['precision', 'second', false],
    ],
  );
  // Capture costs more than so few reads.
  deepEqual(after.offers, []);

  const settings = { readBudgetPerDay: { documents: 10 } };
  const changed = await call(projects.update, { ...by(organization), params, body: { settings } });
  deepEqual(changed.body.data.settings.readBudgetPerDay, { documents: 10 });
  const short = await reads();
  deepEqual([short.budget.reads, short.budget.isDefault, short.days.at(-1)?.exceeded], [10, false, true]);
  const usd = await call(projects.update, {
    ...by(organization),
    params,
    body: { settings: { readBudgetPerDay: { usd: 0.6 } } },
  });
  equal(usd.status, 200);
  equal((await reads()).budget.reads, 1_000_000);
  for (const readBudgetPerDay of [{ documents: 0 }, { usd: 0 }, { documents: 5, usd: 5 }, {}]) {
    const refused = await call(projects.update, {
      ...by(organization),
      params,
      body: { settings: { readBudgetPerDay } as object },
    });
    deepEqual([refused.status, refused.body.error.code], [400, 'VALIDATION_ERROR']);
  }
  equal((await reads()).budget.reads, 1_000_000);
  const reset = await call(projects.update, { ...by(organization), params, body: { settings: { readBudgetPerDay: null } } });
  equal(reset.body.data.settings.readBudgetPerDay, undefined);
});

test('reads: a schedule of a large database is offered capture, with both amounts', async () => {
  const organization = await newOrganization();
  const sourceProjectId = `reads-${randomUUID().slice(0, 8)}`;
  await seed(sourceProjectId, Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`users/u${n}`, {}])));
  const [project, destination] = await Promise.all([newProject(organization, { sourceProjectId }), newDestination(organization)]);
  const { id } = await startBackup(organization, { projectId: project.id, storageDestinationId: destination.id });
  await endOf(organization, id);
  const schedule = await call(schedules.create, {
    ...by(organization),
    body: {
      ...{ projectId: project.id, name: 'Often', cron: '*/5 * * * *', retention: 7 },
      storageDestinationId: destination.id,
    },
  });
  const { offers, forecast } = (await call(projects.reads, { ...by(organization), params: { projectId: project.id } })).body.data;
  equal(forecast?.reads, 288 * 3_009);
  equal(offers.length, 1);
  const [offer] = offers;
  equal(offer?.scheduleId, schedule.body.data.id);
  match(
    offer?.text ?? '',
    /^This schedule reads 870,000 documents a day \(\$0\.52\)\. With capture it would read \d+,\d+ \(\$0\.0\d\)\.$/,
  );
  match(offer?.assumption ?? '', /^If 1 % of the documents change a day/);
  ok((offer?.withCapture.reads ?? Infinity) < 87_000, JSON.stringify(offer));
});
