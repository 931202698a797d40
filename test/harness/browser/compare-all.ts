import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';

/** Waits for a comparison. One that takes long stops in between, which a slow machine makes likely: then it goes on. */
export const compareAll = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { name: /^(D|No d)ifferences$/ }).waitFor();
  const more = page.getByRole('button', { name: 'Go on comparing' });
  while ((await more.count()) > 0)
    if (await more.and(page.locator(':not([aria-disabled])')).count()) await more.click();
    else await pause(100);
};
