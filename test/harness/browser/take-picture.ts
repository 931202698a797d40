/**
 * `npm run picture`: takes the picture of the README from the demo of a new stage. The entries of the menu are recorded beside it; a test
 * fails when the console has others.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSettings } from '../../../infra/local/base/settings.ts';
import { runDemo } from '../../../infra/local/demo/demo.ts';
import { demoEmails } from '../../../infra/local/engines/identity/people.ts';
import { startStage } from '../../../infra/local/stage.ts';
import { launchBrowser } from './launch-browser.ts';

const fileOf = (name: string): string =>
  fileURLToPath(new URL(`../../../functions/console/screenshots/${name}`, import.meta.url));
const width = 1280;

const dir = mkdtempSync(join(tmpdir(), 'picture-'));
const anyPorts = { PORT: '0', IDP_PORT: '0', S3_PORT: '0', GCS_PORT: '0', FIRESTORE_PORT: '0' };
const stage = await startStage({ ...readSettings({ ...anyPorts, LOCAL_DIR: dir }), say: console.log });
const browser = await launchBrowser();
try {
  await runDemo(stage, dir);
  const page = await browser.newPage({ viewport: { width, height: 860 }, locale: 'en-GB', reducedMotion: 'reduce' });
  // The first visitor waits until the console is built.
  page.setDefaultTimeout(300_000);
  await page.goto(`${stage.url}/api/v1/auth/google?login_hint=${encodeURIComponent(demoEmails[0] ?? '')}`);
  await page.getByRole('heading', { name: /^All .* projects are protected/ }).waitFor();
  await page.locator('.skeleton, [aria-busy=true]').first().waitFor({ state: 'detached' });
  const menu = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allTextContents();
  // As high as the page: the menu is as high as the window.
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
  await page.setViewportSize({ width, height });
  await page.screenshot({ path: fileOf('overview.png') });
  writeFileSync(fileOf('overview-menu.json'), `${JSON.stringify(menu, null, 2)}\n`);
} finally {
  await browser.close();
  await stage.stop();
  rmSync(dir, { recursive: true, force: true });
}
