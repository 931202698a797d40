/** The purge and the sweep at work on the stage's own table, with the clock held where the test wants it. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { beforeAll, test } from 'vitest';
import { duePurges, purgeOrganization } from '../../../shared/organization-deletion/index.ts';
import { type Item, newId } from '../../../shared/platform/index.ts';
import { stageVariable } from '../../harness/stage/client.ts';
import { getItem, itemsOf, putItems } from '../../harness/stage/table.ts';

beforeAll(() => {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: stageVariable('STAGE_AWS_URL'),
    AWS_ACCESS_KEY_ID: stageVariable('STAGE_AWS_KEY'),
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_REGION: stageVariable('STAGE_REGION'),
    TABLE_NAME: stageVariable('STAGE_TABLE'),
  });
});

// Far ahead, so that the stage's own sweep, which may run at any time, does not find it.
const deadline = '2091-01-31T00:00:00.000Z';
const at = (text: string) => ({ now: () => new Date(text) });
const due = at('2091-01-31T01:00:00.000Z');
const never = new Date('2099-01-01T00:00:00Z');

const organizationWith = async (
  more: object,
  items: number,
): Promise<{ id: string; slug: string; userId: string; accountId: string; keyId: string }> => {
  const [id, userId, accountId, keyId] = [newId('organization'), newId('user'), newId('serviceAccount'), newId('apiKey')];
  const slug = id.slice(-20).toLowerCase();
  const pk = `ORG#${id}`;
  const all: Item[] = [
    { pk, sk: 'META', id, slug, name: 'Old', ...more },
    { pk, sk: `MEMBER#${userId}`, userId },
    { pk, sk: 'SERVICE_ACCOUNT', id: accountId },
    { pk, sk: `API_KEY#${keyId}`, id: keyId },
    { pk: `APIKEY#${keyId}`, sk: 'APIKEY' },
    { pk: `USER#${userId}`, sk: `ORG#${id}` },
    { pk: `APIKEY#${accountId}`, sk: 'APIKEY' },
    { pk: `SLUG#${slug}`, sk: 'SLUG', organizationId: id },
    { pk: 'DUE#PURGE', sk: `${deadline}#${id}`, organizationId: id, deleteBackupData: true },
    { pk: `AUDIT#${id}`, sk: `ENTRY#${newId('audit')}` },
    { pk: `SEEN#${id}`, sk: userId },
    ...Array.from({ length: items }, () => ({ pk, sk: `EVENT#${newId('event')}` })),
  ];
  await putItems(all);
  return { id, slug, userId, accountId, keyId };
};

const leftOf = async ({
  id,
  slug,
  userId,
  accountId,
  keyId,
}: Awaited<ReturnType<typeof organizationWith>>): Promise<readonly string[]> => {
  const partitions = await Promise.all(
    [`ORG#${id}`, `AUDIT#${id}`, `SEEN#${id}`, `APIKEY#${accountId}`, `APIKEY#${keyId}`, `SLUG#${slug}`, `USER#${userId}`].map(
      itemsOf,
    ),
  );
  const waiting = await getItem({ pk: 'DUE#PURGE', sk: `${deadline}#${id}` });
  return [...partitions.flat(), ...(waiting ? [waiting] : [])].map(({ pk, sk }) => `${pk} ${sk}`);
};
const softly = { deletedAt: '2091-01-01T00:00:00.000Z', recoveryDeadline: deadline };

test('it removes everything, also what lies outside the organization’s partitions', async () => {
  const organization = await organizationWith(softly, 210);
  equal(await purgeOrganization(organization.id, { until: never, time: due }), true);
  deepEqual(await leftOf(organization), []);
  equal(await purgeOrganization(organization.id, { until: never, time: due }), true);
});

test('out of time it says that it is not done, keeps the organization’s own item, and goes on from there', async () => {
  const organization = await organizationWith(softly, 210);
  let looks = 0;
  // The first look asks whether it is due, the second comes before the first page; at the third its time is over.
  const clock = { now: () => new Date(looks++ < 2 ? '2091-01-31T01:00:00Z' : '2091-01-31T02:00:00Z') };
  equal(await purgeOrganization(organization.id, { until: new Date('2091-01-31T01:30:00Z'), time: clock }), false);
  const left = await leftOf(organization);
  ok(left.some((key) => key.endsWith(' META')) && left.length > 10, left.join('\n'));
  equal(await purgeOrganization(organization.id, { until: never, time: due }), true);
  deepEqual(await leftOf(organization), []);
});

for (const [what, more, clock] of [
  ['is not deleted', {}, due],
  ['has not reached its deadline', softly, at('2091-01-30T23:59:59.000Z')],
  ['has only just reached it, while a recovery may be under way', softly, at('2091-01-31T00:04:59.000Z')],
] as const) {
  test(`an organization that ${what} is left alone`, async () => {
    const organization = await organizationWith(more, 3);
    const before = await leftOf(organization);
    equal(await purgeOrganization(organization.id, { until: never, time: clock }), true);
    deepEqual(await leftOf(organization), before);
  });
}

test('one deleted for good needs no deadline', async () => {
  const organization = await organizationWith({ deletedAt: deadline }, 3);
  equal(await purgeOrganization(organization.id, { until: never, time: at(deadline) }), true);
  deepEqual(await leftOf(organization), []);
});

test('two purges of one organization at once both end well', async () => {
  const organization = await organizationWith(softly, 60);
  const both = [1, 2].map(async () => {
    while (!(await purgeOrganization(organization.id, { until: never, time: due })));
  });
  await Promise.all(both);
  deepEqual(await leftOf(organization), []);
});

test('the sweep finds what is due, with what was asked for, and nothing that is not', async () => {
  const organization = await organizationWith(softly, 0);
  const found = async (text: string) => {
    const ids: unknown[] = [];
    for await (const { organizationId, deleteBackupData } of duePurges(new Date(text))) {
      if (organizationId === organization.id) ids.push(deleteBackupData);
    }
    return ids;
  };
  deepEqual(await found('2091-01-31T00:04:59.000Z'), []);
  deepEqual(await found('2091-01-31T00:05:01.000Z'), [true]);
});
