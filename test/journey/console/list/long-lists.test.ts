/** Lists that are longer than one page or one search. */
import { equal, ok } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { newId } from '../../../../shared/platform/index.ts';
import { closeBrowser, openConsole } from '../../../harness/browser/open-console.ts';
import { newProject } from '../../../harness/stage/backup.ts';
import { newOrganization } from '../../../harness/stage/organization.ts';
import { itemsOf, putItems } from '../../../harness/stage/table.ts';

afterAll(closeBrowser);

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
  await page.getByRole('heading', { name: 'No entries found so far' }).waitFor();
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
  await page.getByRole('link', { name: 'The oldest shop' }).waitFor();
  equal(await page.getByRole('row').count(), 1 + 106);
  await goTo('/backups?start=new');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Project', { exact: true }).selectOption(oldest.id);
  check.problems();
});
