/** Reading and comparing the documents of backups in the console. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { compareAll } from '../../harness/browser/compare-all.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { readDownload } from '../../harness/browser/read-download.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { stageVariable } from '../../harness/stage/client.ts';
import { newOrganization } from '../../harness/stage/organization.ts';

const attack = '<img src=x onerror=alert(1)>';
const text = (stringValue: string) => ({ stringValue });

const kinds = (project: string) => ({
  nothing: { nullValue: null },
  active: { booleanValue: true },
  most: { integerValue: '9223372036854775807' },
  three: { doubleValue: 3 },
  nan: { doubleValue: 'NaN' },
  when: { timestampValue: '2020-02-29T12:00:00.123456Z' },
  [attack]: text(attack),
  bytes: { bytesValue: 'AP8=' },
  home: { geoPointValue: { latitude: 51.5, longitude: -0.1 } },
  friend: { referenceValue: `projects/${project}/databases/(default)/documents/users/ada` },
  tags: { arrayValue: { values: [text('first'), { integerValue: '2' }] } },
  address: { mapValue: { fields: { city: text('London') } } },
  embedding: {
    mapValue: {
      fields: { __type__: text('__vector__'), value: { arrayValue: { values: [{ doubleValue: 0.25 }, { doubleValue: 1 }] } } },
    },
  },
});

const newSource = async () => {
  const organization = await newOrganization();
  const [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  const back = async () => {
    const { id } = await startBackup(organization, { projectId: project.id, storageDestinationId: destination.id });
    return endOf(organization, id);
  };
  return { organization, source: project.sourceProjectId, back };
};

const removeDocument = async (source: string, path: string): Promise<void> => {
  const root = `http://${stageVariable('STAGE_FIRESTORE')}/v1/projects/${source}/databases/(default)/documents`;
  const answer = await fetch(`${root}/${path}`, { method: 'DELETE', headers: { authorization: 'Bearer owner' } });
  if (!answer.ok) throw new Error(await answer.text());
};

/** The search parameters of the restore that a link leads to. */
const restoreOf = async (page: Page, name: string) => {
  const href = (await page.getByRole('link', { name, exact: true }).getAttribute('href')) ?? '';
  const { pathname, searchParams } = new URL(href, 'http://console');
  equal(pathname, '/console/restore/new');
  const listOf = (key: string) => searchParams.get(key)?.split(',').map(decodeURIComponent);
  return { backupId: searchParams.get('backupId'), collections: listOf('collections'), documents: listOf('documents') };
};

/** The cells of a table, row by row. */
const cellsOf = async (page: Page, label: string): Promise<readonly (readonly string[])[]> => {
  const rows = await page.getByRole('table', { name: label }).locator('tbody tr').all();
  const texts = await Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()));
  return texts.map((cells) => cells.map((cell) => cell.replace(/\s+/g, ' ').trim()));
};

test('console: a person browses to a document, reads its types, follows a reference and goes to a path', async () => {
  const { organization, source, back } = await newSource();
  await seed(source, {
    'kinds/all': kinds(source),
    'users/ada': { name: text('Ada') },
    'users/ada/orders/o,1': { total: { doubleValue: 1.5 } },
    'gone/g1/kept/k1': { text: text('kept') },
  });
  const { id } = await back();
  const { page, goTo, check } = await openConsole({ email: organization.owner.email, path: `/backups/${id}/browse` });
  page.on('dialog', () => ok(false, 'a text of the database was executed'));

  await page.getByRole('link', { name: /^kinds/ }).click();
  deepEqual(await restoreOf(page, 'Restore the collection kinds'), {
    backupId: id,
    collections: ['kinds'],
    documents: undefined,
  });
  await page.getByRole('link', { name: 'all', exact: true }).click();
  const fields = page.getByRole('region', { name: 'Document', exact: true });
  await fields.getByText('geopoint').waitFor();
  const row = async (name: string) => (await fields.locator('li', { hasText: name }).first().innerText()).split('\n').join(' ');
  deepEqual(await row('nothing'), 'nothing null null');
  deepEqual(await row('active'), 'active boolean true');
  deepEqual(await row('most'), 'most integer 9223372036854775807');
  deepEqual(await row('three'), 'three double 3');
  deepEqual(await row('nan'), 'nan double NaN');
  ok((await row('when')).includes('2020-02-29T12:00:00.123456Z'));
  deepEqual(await row(attack), `${attack} string "${attack}"`);
  ok((await row('bytes')).includes('2 B'));
  deepEqual(await row('home'), 'home geopoint 51.5° N, 0.1° W');
  ok((await row('address')).includes('city string "London"'));
  await fields.getByRole('button', { name: /^tags/ }).click();
  ok((await row('tags')).includes('1 integer 2'));
  ok((await row('embedding')).includes('2 dimensions'));
  await check.screenshots('backup-browse');
  await check.accessibility();

  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()]);
  equal(download.suggestedFilename(), 'kinds_all.json');
  const json = JSON.parse((await readDownload(download)).toString());
  deepEqual(json.fields, kinds(source));

  await fields.getByRole('link', { name: 'users/ada' }).click();
  await fields.getByText('"Ada"').waitFor();
  await fields.getByRole('link', { name: /orders/ }).click();
  await page.getByRole('link', { name: 'o,1' }).click();
  await fields.getByText('1.5').waitFor();
  deepEqual(await restoreOf(page, 'Restore the document o,1'), {
    backupId: id,
    collections: undefined,
    documents: ['users/ada/orders/o,1'],
  });

  // By keyboard alone, with what Firestore calls the document.
  await page.getByLabel('Go to a path').focus();
  await page.keyboard.type(`projects/${source}/databases/(default)/documents/users/ada`);
  await page.keyboard.press('Enter');
  await fields.getByText('"Ada"').waitFor();
  await page.getByLabel('Go to a path').fill('users//ada');
  await page.keyboard.press('Enter');
  await page.getByText('single slashes').waitFor();
  await goTo(`/backups/${id}/browse?path=users/nobody`);
  await page.getByText('Not in this backup').waitFor();
  await goTo(`/backups/${id}/browse?path=gone`);
  await page.getByRole('link', { name: /^g1/ }).click();
  await fields.getByText('It is shown because it has subcollections').waitFor();
  check.problems();
});

test('console: a person compares a backup with the live database and with another backup, field by field', async () => {
  const { organization, source, back } = await newSource();
  const address = (fields: object) => ({ mapValue: { fields } });
  await seed(source, {
    'users/ada': {
      name: text('Ada'),
      born: { integerValue: '1815' },
      address: address({ city: text('London'), zip: text('W1') }),
    },
    'users/grace': { name: text('Grace') },
    'users/same': { name: text('Same') },
  });
  const first = await back();
  await seed(source, {
    'users/ada': {
      name: text(attack),
      born: text('1815'),
      address: address({ city: text('London') }),
      vip: { booleanValue: true },
    },
    'users/new': { name: text('New') },
  });
  await removeDocument(source, 'users/grace');
  const { page, goTo, check } = await openConsole({ email: organization.owner.email, path: `/backups/${first.id}/compare` });
  page.on('dialog', () => ok(false, 'a text of the database was executed'));

  // The address alone does not start a comparison that is billed.
  await goTo(`/backups/${first.id}/compare?against=live`);
  await page.getByText(/Google bills about 3 reads/).waitFor();
  equal(await page.getByRole('heading', { name: 'Differences', exact: true }).count(), 0);
  await page.getByRole('button', { name: 'Compare' }).click();
  await compareAll(page);
  const changes = page.getByRole('list', { name: 'Documents that differ' }).getByRole('button');
  const expected = ['users/ada Changed', 'users/grace Removed', 'users/new Added'];
  const listed = async () => (await changes.allInnerTexts()).map((one) => one.replace(/\s+/g, ' '));
  deepEqual(await listed(), expected);
  for (const [name, count] of [
    ['Added', 1],
    ['Changed', 1],
    ['Removed', 1],
  ] as const)
    equal(await page.getByRole('button', { name: `${count} ${name}` }).count(), 1, name);

  await changes.nth(0).click();
  await page.getByRole('table', { name: 'Fields of users/ada' }).waitFor();
  const fieldsOfAda = [
    ['address.zip', 'string "W1"', 'No such field'],
    ['born', 'integer 1815', 'string "1815"'],
    ['name', 'string "Ada"', `string "${attack}"`],
    ['vip', 'No such field', 'boolean true'],
  ];
  deepEqual(await cellsOf(page, 'Fields of users/ada'), fieldsOfAda);
  const columns = async () =>
    (await page.getByRole('table', { name: 'Fields of users/ada' }).getByRole('columnheader').allInnerTexts()).map(
      (one) => one.split(' ·')[0],
    );
  deepEqual(await columns(), ['Field', 'In this backup', 'Live now']);
  await changes.nth(1).click();
  await page.getByRole('table', { name: 'Fields of users/grace' }).waitFor();
  deepEqual(await cellsOf(page, 'Fields of users/grace'), [['name', 'string "Grace"', 'No such field']]);
  await check.screenshots('backup-compare');
  await check.accessibility();

  // What the backup has can be selected and restored; what was added later cannot.
  await page.getByRole('button', { name: 'Select all removed' }).click();
  await page.getByText('1 document selected').waitFor();
  equal(await page.getByLabel('Select users/grace to restore it').isChecked(), true);
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('button', { name: 'Restore selected…', disabled: true }).waitFor();
  await page.getByRole('button', { name: 'Select all removed' }).click();
  await page.getByLabel('Select users/ada to restore it').check();
  ok(await page.getByLabel(/users\/new is not in this backup/).isDisabled());
  deepEqual(await restoreOf(page, 'Restore 2 documents…'), {
    backupId: first.id,
    collections: undefined,
    documents: ['users/grace', 'users/ada'],
  });
  await page.getByRole('button', { name: '1 Removed' }).click();
  deepEqual(await listed(), [expected[1]]);

  // What happened from the earlier to the later backup, with this page's backup on the left.
  const second = await back();
  for (const [backup, other] of [
    [first, second],
    [second, first],
  ] as const) {
    await goTo(`/backups/${backup.id}/compare`);
    await page.getByLabel('Compare this backup with').selectOption(other.id);
    await page.getByRole('button', { name: 'Compare' }).click();
    await compareAll(page);
    deepEqual(await listed(), expected);
    await changes.nth(0).click();
    await page.getByRole('table', { name: 'Fields of users/ada' }).waitFor();
    const isEarlier = backup === first;
    const sided = fieldsOfAda.map(([field, before, after]) => (isEarlier ? [field, before, after] : [field, after, before]));
    deepEqual(await cellsOf(page, 'Fields of users/ada'), sided);
    const [, self, that] = await columns();
    deepEqual([self, that?.startsWith('Backup of ')], ['In this backup', true]);
  }
  ok(await page.getByLabel(/users\/grace is not in this backup/).isDisabled());
  await goTo(`/backups/${second.id}/compare?against=live`);
  await page.getByRole('button', { name: 'Compare' }).click();
  await compareAll(page);
  await page.getByText('Both sides are the same').waitFor();
  await check.screenshots('backup-compare-same');
  check.problems();
});
