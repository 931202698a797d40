/** Opens the console in a browser, with a session of its own. Journeys of test/journey/console/sign-in.test.ts sign in on the page. */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { onTestFinished, TestRunner } from 'vitest';
import { sessionCookiesOf } from '../stage/browser.ts';
import { stageUrl, stageVariable } from '../stage/client.ts';
import { newEmail } from '../stage/person.ts';
import { connectBrowser } from './connect-browser.ts';
import { noteToasts } from './note-toasts.ts';
import { colorRules } from './theme-rules.ts';
import { watchPage } from './watch-page.ts';

const screenshotDir = fileURLToPath(new URL('../../../.local/screenshots', import.meta.url));
/** Pictures are for people, and they took half a second of CPU for each page. */
const isPictured = process.env.SCREENSHOTS === '1';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface ConsoleOptions {
  readonly email?: string;
  /** Below /console. */
  readonly path?: string;
  readonly width?: number;
  readonly isSignedIn?: boolean;
  /** Pages are still without it: a skeleton or spinner that moves is drawn sixty times a second. */
  readonly isAnimated?: boolean;
}

type Motion = 'reduce' | 'no-preference';

export interface OpenConsole {
  readonly page: Page;
  readonly email: string;
  /** Opens another page of the console. */
  readonly goTo: (path: string) => Promise<void>;
  readonly check: {
    /** Throws for what axe-core finds serious or critical in the light theme, and in the colors of the dark one. */
    readonly accessibility: () => Promise<void>;
    /** Shows the page at 1280 and 390 px in both themes. `SCREENSHOTS=1` writes these pictures to .local/screenshots. */
    readonly screenshots: (name: string) => Promise<void>;
    /** Throws for requests to other origins, errors in the console and violations of the Content-Security-Policy. */
    readonly problems: () => void;
  };
}

/** A console that a test opens is closed after it: an open page polls and is drawn. */
export const openConsole = async (options: ConsoleOptions = {}): Promise<OpenConsole> => {
  const { email = newEmail(), path = '', width = 1280, isSignedIn = true, isAnimated = false } = options;
  const motion: Motion = isAnimated ? 'no-preference' : 'reduce';
  const [browser, cookies] = await Promise.all([connectBrowser(), isSignedIn ? sessionCookiesOf(email) : []]);
  const context = await browser.newContext({
    viewport: { width, height: 860 },
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    reducedMotion: motion,
  });
  // A plan or a page may take long while other files use the stage.
  context.setDefaultTimeout(300_000);
  await context.addInitScript(noteToasts);
  const { hostname: domain } = new URL(stageUrl());
  await context.addCookies(cookies.map((cookie) => ({ ...cookie, domain, path: '/', httpOnly: true, secure: true })));
  const page = await context.newPage();
  if (TestRunner.getCurrentTest())
    onTestFinished(async ({ task }) => {
      if (task.result?.state === 'fail') console.log(await describePage(page));
      // A request that a test answers itself may come in while the page is closed.
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    });
  const { problems } = watchPage(page, [stageUrl(), stageVariable('STAGE_IDP_URL')]);
  const goTo = async (to: string): Promise<void> => void (await page.goto(`${stageUrl()}/console${to}`));
  await goTo(path);
  return {
    page,
    email,
    goTo,
    check: {
      accessibility: () => inBothThemes(page, motion, (theme) => assertAccessible(page, theme)),
      screenshots: async (name) => {
        if (isPictured) mkdirSync(screenshotDir, { recursive: true });
        await settle(page);
        for (const size of [1280, 390]) {
          await page.setViewportSize({ width: size, height: 860 });
          // As high as the page: what sticks to the window would be missing in a picture of more than the window.
          const height = isPictured ? Number(await page.evaluate('document.documentElement.scrollHeight')) : 0;
          await page.setViewportSize({ width: size, height: Math.max(860, height) });
          await inBothThemes(page, motion, async (theme) => {
            if (isPictured) await page.screenshot({ path: join(screenshotDir, `${name}-${size}-${theme}.png`) });
          });
        }
        await page.setViewportSize({ width, height: 860 });
      },
      problems: () => {
        if (problems.length > 0) throw new Error(problems.join('\n'));
      },
    },
  };
};

/** Its address, and what it shows with the values of fields. */
const describePage = async (page: Page): Promise<string> => {
  const shown = await page
    .locator('body')
    .ariaSnapshot({ timeout: 10_000 })
    .catch((error: Error) => error.message);
  return `the page at the end: ${page.url()}\n${shown.slice(0, 8_000)}`;
};

/** Nothing moves meanwhile: a color that fades has no contrast to check. */
const inBothThemes = async (page: Page, motion: Motion, run: (theme: 'light' | 'dark') => Promise<void>): Promise<void> => {
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await painted(page);
    await run(theme);
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: motion });
};

/** Waits until the browser has drawn what changed, transitions included. */
const painted = (page: Page): Promise<unknown> =>
  page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() =>
    Promise.race([
      Promise.allSettled(document.getAnimations().map(({ finished }) => finished)),
      new Promise((done) => setTimeout(done, 500)),
    ]).then(() => true))`);

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Waits until nothing loads any more. Not with waitForFunction, whose repeated evaluation the Content-Security-Policy forbids. */
const settle = async (page: Page): Promise<void> => {
  await page.locator('h1, h2').first().waitFor();
  await page.locator('.skeleton, [aria-busy=true]').first().waitFor({ state: 'detached' });
};

/** Evaluated by the debugger, which the Content-Security-Policy does not restrict. */
const assertAccessible = async (page: Page, theme: 'light' | 'dark'): Promise<void> => {
  await settle(page);
  // Once for each document: evaluating it again takes a third of the time of a run.
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(`${axe}; undefined`);
  const options = { resultTypes: ['violations'], ...(theme === 'dark' && { runOnly: colorRules }) };
  const run = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`;
  const found = ((await page.evaluate(run)) as readonly Finding[]).filter(
    ({ impact }) => impact === 'serious' || impact === 'critical',
  );
  if (found.length === 0) return;
  const lines = found.flatMap(({ id, help, nodes }) => [
    `${id}: ${help}`,
    ...nodes.map(({ html, failureSummary }) => `  ${html} ${failureSummary}`),
  ]);
  throw new Error(`${theme}: ${lines.join('\n')}`);
};
