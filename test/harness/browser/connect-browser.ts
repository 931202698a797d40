/**
 * The browser of a test file: a connection to the one of the run (`test/setup/browser.ts`), with contexts of its own. A program that is no
 * test launches one for itself. Playwright is loaded when a page is opened.
 */
import type { Browser } from 'playwright-core';
import { warm } from '../../../shared/platform/warm.ts';

/** Where the run says the address of its browser; set by test/setup/stage-env.ts. */
export const browserVariable = 'TEST_BROWSER';

const held = warm((): { browser: Promise<Browser> | undefined } => ({ browser: undefined }));

export const connectBrowser = (): Promise<Browser> => {
  const kept = held();
  kept.browser ??= open();
  return kept.browser;
};

/** Closes all contexts of the file. The browser of the run goes on. */
export const closeBrowser = async (): Promise<void> => {
  const kept = held();
  const { browser } = kept;
  kept.browser = undefined;
  await (await browser)?.close();
};

const open = async (): Promise<Browser> => {
  const address = process.env[browserVariable];
  if (address === undefined) return (await import('./launch-browser.ts')).launchBrowser();
  const answer = await fetch(address);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the browser does not start: ${text}`);
  const { chromium } = await import('playwright-core');
  return chromium.connect(text);
};
