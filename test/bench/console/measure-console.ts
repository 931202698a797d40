/** The first load of the console by the browser's own timing: compressed bytes, requests and time until the overview can be used. */
import { join } from 'node:path';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { closeBrowser } from '../../harness/browser/connect-browser.ts';
import { hasBrowser } from '../../harness/browser/find-browser.ts';
import { openConsole } from '../../harness/browser/open-console.ts';
import { spawnStage } from '../../harness/faults/killable-stage.ts';
import { call } from '../../harness/stage/client.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { goalColumns, goalRow, median, printTable, reaches, whole } from '../print.ts';

const scriptGoal = { must: 150_000, aim: 120_000, kind: 'most' } as const;
const requestGoal = { must: 4, aim: 4, kind: 'most' } as const;
const shownGoal = { must: 1_000, aim: 500, kind: 'most' } as const;
const loads = 7;

/** Notes when the table of the projects is drawn; its links can be followed from then on. */
const noteWhenShown = `new MutationObserver(() => {
  if (document.querySelector('.table td a')) window.shownAtMs ??= performance.now();
}).observe(document, { childList: true, subtree: true })`;
const measure = `({
  shownMs: window.shownAtMs,
  resources: performance.getEntriesByType('resource')
    .filter(({ startTime }) => startTime < window.shownAtMs)
    .map(({ encodedBodySize, initiatorType }) => ({ bytes: encodedBodySize, isScript: initiatorType === 'script' })),
})`;

interface Load {
  readonly shownMs: number;
  readonly resources: readonly { readonly bytes: number; readonly isScript: boolean }[];
}

export const measureConsole = async (dir: string): Promise<boolean> => {
  if (!hasBrowser) {
    console.log('\nConsole: skipped, because there is no Chromium for this system');
    return true;
  }
  const stage = await spawnStage(join(dir, 'console'), { delayScale: 1 });
  Object.assign(process.env, stage.variables);
  try {
    const { id, owner } = await newOrganization();
    const body = { name: 'Shop', sourceProjectId: 'bench-shop' };
    await call(projects.create, { token: owner.accessToken, org: id, body });
    const { page, goTo } = await openConsole({ email: owner.email });
    await page.addInitScript(noteWhenShown);
    const seen: Load[] = [];
    // The first loads start functions.
    for (let load = 0; load < loads; load++) {
      await goTo('');
      await page.getByRole('link', { name: 'Shop', exact: true }).waitFor();
      seen.push((await page.evaluate(measure)) as Load);
    }
    const scriptBytes = seen[0]!.resources.filter(({ isScript }) => isScript).reduce((sum, { bytes }) => sum + bytes, 0);
    const requests = 1 + Math.max(...seen.map(({ resources }) => resources.length));
    const shownMs = median(seen.slice(2).map((load) => load.shownMs));
    printTable('Goals: first load of the console', goalColumns, [
      goalRow('compressed script, bytes', { value: scriptBytes, goal: scriptGoal, show: whole }),
      goalRow('requests until the overview shows', { value: requests, goal: requestGoal, show: whole }),
      goalRow('ms until the overview shows, median', { value: shownMs, goal: shownGoal, show: whole }),
    ]);
    return (
      reaches(scriptBytes, scriptGoal.must, 'most') &&
      reaches(requests, requestGoal.must, 'most') &&
      reaches(shownMs, shownGoal.must, 'most')
    );
  } finally {
    await closeBrowser();
    await stage.stop();
  }
};
