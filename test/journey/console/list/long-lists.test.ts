/** Lists that are longer than one page or one search. */
import { equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { newId } from '../../../../shared/platform/index.ts';
import { openConsole } from '../../../harness/browser/open-console.ts';
import { newProject, seed } from '../../../harness/stage/backup.ts';
import { newOrganization } from '../../../harness/stage/organization.ts';
import { itemsOf, putItems } from '../../../harness/stage/table.ts';

test('console: a filter that matches only old entries searches further and does not say that nothing matches', async () => {
  const { id, owner } = await newOrganization();
  const entries = await itemsOf(`AUDIT#${id}`);
  const [first] = entries;
  ok(first);
  // A request searches two thousand entries.
  await putItems(
    Array.from({ length: 2_100 }, () => {
      const entryId = newId('audit');
      return { ...first, sk: `ENTRY#${entryId}`, id: entryId, action: 'project.updated' };
    }),
  );
  const { page, check } = await openConsole({ email: owner.email, path: `/audit?action=${String(first.action)}` });
  await page.getByRole('heading', { name: 'No audit entries found so far' }).waitFor();
  await check.screenshots('audit-none-so-far');
  equal(await page.getByText('No entries match').count(), 0);
  await page.getByRole('button', { name: 'Search further' }).click();
  await page.getByRole('row').nth(1).waitFor();
  equal(await page.getByRole('row').count(), 2);
  equal(await page.getByRole('button', { name: 'Search further' }).count(), 0);
  check.problems();
});

test('console: the oldest of more than a hundred projects can be chosen', async () => {
  const organization = await newOrganization();
  const oldest = await newProject(organization, { name: 'The oldest shop' });
  const record = (await itemsOf(`ORG#${organization.id}`)).find(({ sk }) => sk === `PROJECT#${oldest.id}`);
  ok(record);
  await putItems(
    Array.from({ length: 105 }, (_, n) => {
      const id = newId('project');
      return { ...record, sk: `PROJECT#${id}`, id, name: `Shop ${n}` };
    }),
  );
  const { page, goTo, check } = await openConsole({ email: organization.owner.email, path: '/projects' });
  await page.getByRole('row').nth(50).waitFor();
  equal(await page.getByRole('row').count(), 1 + 50);
  await page.getByRole('searchbox', { name: 'Search' }).fill('oldest');
  await page.getByRole('link', { name: 'The oldest shop' }).waitFor();
  await goTo('/backups?start=new');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Project', { exact: true }).selectOption(oldest.id);
  check.problems();
});

test('console: all of more than a hundred collections can be chosen for a schedule', async () => {
  const organization = await newOrganization();
  const project = await newProject(organization);
  const names = Array.from({ length: 105 }, (_, n) => `collection${String(n).padStart(3, '0')}`);
  await seed(project.sourceProjectId, Object.fromEntries(names.map((name) => [`${name}/a`, {}])));
  const { page, goTo, check } = await openConsole({ email: organization.owner.email, path: `/projects/${project.id}/settings` });
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByText('The database can be read: more than 100 root collections').waitFor();
  await goTo(`/schedules/new?projectId=${project.id}`);
  await page.getByText('Only some').click();
  await page.getByRole('checkbox', { name: 'collection099' }).waitFor();
  equal(await page.getByRole('checkbox', { name: 'collection104' }).count(), 0);
  await page.getByRole('button', { name: 'Show more collections' }).click();
  await page.getByRole('checkbox', { name: 'collection104' }).check();
  equal(await page.getByLabel('Paths, one per line').inputValue(), 'collection104');
  await check.screenshots('schedule-many-collections');
  check.problems();
});
