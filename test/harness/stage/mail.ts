/** The e-mails the stage sent. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Mail } from '../../../infra/local/base/types.ts';
import { stageUrl } from './client.ts';

/** E-mails to an address, newest first. */
export const mailsTo = async (email: string): Promise<readonly Mail[]> => {
  const mails = (await (await fetch(`${stageUrl()}/_local/outbox.json`)).json()) as readonly Mail[];
  return mails.filter(({ to }) => to.includes(email));
};

const timeoutMs = 300_000;

/** Waits for this many e-mails to the address: they are sent asynchronously, through stream and queue. */
export const untilMails = async (email: string, count = 1): Promise<readonly Mail[]> => {
  for (const endMs = Date.now() + timeoutMs; ; await pause(50)) {
    const mails = await mailsTo(email);
    if (mails.length >= count) return mails;
    if (Date.now() > endMs) throw new Error(`${mails.length} of ${count} e-mails to ${email} within ${timeoutMs} ms`);
  }
};
