/** "I deleted one document": found and restored within four clicks, nothing typed. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { erasures } from '../../../shared/contract/endpoints/protection/erasures.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { pathsOf, shop, text } from '../../harness/browser/restore-pages.ts';
import { endOf, seed, startBackup } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { endOfRestore, erase } from '../../harness/stage/restore.ts';

/** Counts the clicks of a person, and the keys that they type. */
const countInput = async (page: Page): Promise<() => Promise<{ clicks: number; keys: number }>> => {
  await page.evaluate(`
    window.counted = { clicks: 0, keys: 0 };
    document.addEventListener('click', ({ isTrusted }) => { if (isTrusted) counted.clicks += 1; }, { capture: true });
    document.addEventListener('keydown', () => { counted.keys += 1; }, { capture: true });
  `);
  return () => page.evaluate('window.counted');
};

const restoreIdOf = (page: Page): string => new URL(page.url()).pathname.split('/').at(-1)!;

test('console: a deleted document is chosen from what is missing and restored, with four clicks and nothing typed', async () => {
  const { organization, source } = await shop();
  const all = await pathsOf(source);
  await erase(source, ['users/ada']);
  const { page, check } = await openConsole({ email: organization.owner.email });
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  const counted = await countInput(page);
  await page.getByRole('link', { name: 'deleted lately' }).click();
  await page.getByRole('button', { name: 'Show what was deleted' }).click();
  await page.getByRole('link', { name: 'users/ada' }).click();
  await page.getByText('There is no live document to compare with.').waitFor();
  await page.getByText('Recommended').waitFor();
  await page.getByRole('button', { name: 'Restore this document' }).waitFor();
  await check.accessibility();
  await check.screenshots('find-document');
  await page.getByRole('button', { name: 'Restore this document' }).click();
  await page.getByRole('heading', { name: 'Restore into Shop' }).waitFor();
  deepEqual(await counted(), { clicks: 4, keys: 0 });
  const { status, documentsRestored, undoUntil } = await endOfRestore(organization, restoreIdOf(page));
  deepEqual([status, documentsRestored], ['completed', 1]);
  ok(undoUntil);
  deepEqual(await pathsOf(source), all);
});

test('console: a pasted address finds a changed document at once; its older state is shown beside the live one', async () => {
  const { organization, source, project, backup } = await shop();
  await seed(source, { 'users/ada': text('broken') });
  const { page } = await openConsole({ email: organization.owner.email });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const address = `https://console.firebase.google.com/project/${source}/firestore/data/~2Fusers~2Fada`;
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(address)})`);
  const field = page.getByLabel('Find a document');
  await field.click();
  await field.press('ControlOrMeta+v');
  const table = page.getByRole('table', { name: 'Fields of users/ada' });
  await table.getByText('broken').waitFor();
  equal(await table.getByRole('row').count(), 2);
  await page.getByRole('button', { name: 'Restore this document' }).waitFor();
  // The backup is the oldest state that is known: there is none to compare it with.
  equal(await page.getByText('What had changed then').count(), 0);
  await startBackup(organization, { projectId: project.id, storageDestinationId: backup.storageDestination.id }).then(({ id }) =>
    endOf(organization, id),
  );
  await seed(source, { 'users/ada': text('mended') });
  await page.reload();
  await page.getByRole('list', { name: 'States of the document' }).getByRole('button').first().click();
  await page.getByText('What had changed then').waitFor();
  await page.getByRole('table', { name: 'Fields of users/ada' }).last().getByText('broken').waitFor();

  // An id, and a document that is nowhere.
  const goTo = (path: string) => page.goto(new URL(`/console/find?projectId=${project.id}&path=${path}`, page.url()).href);
  await goTo('bob');
  await page.getByText('Every stored state is the same as the live document.').waitFor();
  await page.getByText('"b"', { exact: true }).waitFor();
  await goTo('users/nobody');
  await page.getByText('Not found').waitFor();
  await page.getByText('users/nobody does not exist now, nor in any of the 2 backups of Shop.').waitFor();
  await goTo('users');
  await page.getByText('No root collection has a document with this id').waitFor();
  await goTo('users/ada/notes');
  await page.getByText(/names the collection users\/ada\/notes/i).waitFor();

  // An erased document says so, here and in a backup.
  const by = { token: organization.owner.accessToken, org: organization.id, params: { projectId: project.id } };
  equal((await call(erasures.create, { ...by, body: { paths: ['users/bob'], reason: 'Requested' } })).status, 201);
  await goTo('users/bob');
  await page.getByText('This document was erased').waitFor();
  await page.goto(new URL(`/console/backups/${backup.id}/browse?path=users/bob`, page.url()).href);
  await page.getByRole('heading', { name: 'Erased' }).waitFor();
});
