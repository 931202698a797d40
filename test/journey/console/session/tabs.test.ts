/** Several tabs of one browser: each shows its own organization. */
import { equal } from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { openConsole } from '../../../harness/browser/open-console.ts';
import { newProject } from '../../../harness/stage/backup.ts';
import { stageUrl } from '../../../harness/stage/client.ts';
import { newOrganization } from '../../../harness/stage/organization.ts';

const openTab = async (page: Page, path: string): Promise<Page> => {
  const tab = await page.context().newPage();
  await tab.goto(`${stageUrl()}/console${path}`);
  return tab;
};

const choose = async (page: Page, from: string, to: string): Promise<void> => {
  await page.getByRole('button', { name: new RegExp(from) }).click();
  await page.getByRole('menuitem', { name: to }).click();
  await page.getByRole('button', { name: new RegExp(to) }).waitFor();
};

test('console: a tab keeps its organization and open form when another tab chooses another one', async () => {
  const alpha = await newOrganization(undefined, 'Alpha works');
  const beta = await newOrganization(alpha.owner, 'Beta works');
  const project = await newProject(alpha, { name: 'Alpha shop' });
  await newProject(beta, { name: 'Beta shop' });
  const { page, goTo, check } = await openConsole({ email: alpha.owner.email, path: '/webhooks' });
  await page.getByRole('button', { name: /Alpha works/ }).waitFor();
  await page.getByRole('button', { name: 'Add webhook' }).first().click();
  const form = page.getByRole('dialog', { name: 'Add a webhook' });
  await form.getByLabel('Name').fill('On-call of Alpha');

  const other = await openTab(page, '');
  await choose(other, 'Alpha works', 'Beta works');
  await other.getByRole('link', { name: 'Beta shop', exact: true }).waitFor();
  equal(await form.getByLabel('Name').inputValue(), 'On-call of Alpha');

  // Neither a reload nor another page changes it.
  await page.reload();
  await page.getByRole('button', { name: /Alpha works/ }).waitFor();
  await goTo(`/projects/${project.id}`);
  await page.getByRole('heading', { name: 'Alpha shop' }).waitFor();

  // A new tab begins with the organization of the tab that was used last.
  const third = await openTab(page, '/projects');
  await third.getByRole('link', { name: 'Beta shop' }).waitFor();
  await page.evaluate(`dispatchEvent(new Event('focus'))`);
  const fourth = await openTab(page, `/projects/${project.id}`);
  await fourth.getByRole('heading', { name: 'Alpha shop' }).waitFor();
  await other.reload();
  await other.getByRole('button', { name: /Beta works/ }).waitFor();

  // The next person gets neither.
  await third.getByRole('button', { name: /^Account of/ }).click();
  await third.getByRole('menuitem', { name: 'Sign out…' }).click();
  await third.getByRole('button', { name: 'Sign out', exact: true }).click();
  for (const tab of [page, other, fourth]) {
    await tab.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    equal(
      await tab.evaluate(`sessionStorage.getItem('console.organization') ?? localStorage.getItem('console.organization')`),
      null,
    );
  }
  check.problems();
});
