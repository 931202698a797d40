/** Toasts leave by themselves: on a machine that stands still for seconds, one may be gone before a test looks. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';

interface Toast {
  readonly text: string;
  readonly tone: string;
}

/** Runs in the page before its scripts, and notes each toast of the document. */
export const noteToasts = `{
  const seen = new WeakSet();
  globalThis.notedToasts = [];
  new MutationObserver(() => {
    for (const toast of document.querySelectorAll('.toast')) {
      if (seen.has(toast)) continue;
      seen.add(toast);
      notedToasts.push({ text: toast.textContent, tone: toast.className.split('--')[1] });
    }
  }).observe(document, { childList: true, subtree: true });
}`;

/** Waits until the document has shown a toast with this text. */
export const untilToast = async (page: Page, text: string, tone = 'good'): Promise<void> => {
  const isIt = (toast: Toast): boolean => toast.text.includes(text) && toast.tone === tone;
  while (!((await page.evaluate('notedToasts')) as readonly Toast[]).some(isIt)) await pause(100);
};
