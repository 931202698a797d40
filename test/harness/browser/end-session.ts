import type { Page, Route } from 'playwright-core';

/** Ends the session, and clicks before a read that the page repeats by itself finds out. */
export const endSession = async (page: Page, click: () => Promise<void>): Promise<void> => {
  let release = (): void => {};
  const clicked = new Promise<void>((done) => {
    release = done;
  });
  const hold = async (route: Route): Promise<void> => {
    if (route.request().method() === 'GET') await clicked;
    await route.fallback();
  };
  await page.route('**/api/v1/**', hold);
  await page.context().clearCookies();
  await click();
  release();
  await page.unroute('**/api/v1/**', hold);
};
