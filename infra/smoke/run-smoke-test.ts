/** The smoke test: public endpoints, sign-in, backup, restore plan, webhook, clean-up. */
import { findInAuditLog, planRestore, tryWebhook } from './after-backup.ts';
import { browseBackup, estimateBackup, takeBackup, verifyBackup } from './backup.ts';
import { tryOpenDoors } from './check-public-endpoints.ts';
import { openClient } from './client.ts';
import { missing, readWish, secretsOf, usage, type Wish, WishError } from './options.ts';
import { type Doors, signIn } from './sign-in.ts';
import { type Say, type Walk, walkThrough } from './step-runner.ts';
import { addDestination, connectProject, enterOrganization } from './test-resources.ts';

export interface Start {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly say: Say;
  readonly isInteractive: boolean;
  readonly signal: AbortSignal;
}

/** 0: success. 1: a step failed, or something could not be removed. 2: invalid options. */
export const run = async ({ words, env, say, isInteractive, signal }: Start): Promise<0 | 1 | 2> => {
  if (words.includes('--help')) {
    say(usage);
    return 0;
  }
  try {
    const wish = readWish(words, env);
    const secrets = new Set(secretsOf(wish));
    const tell = (line: string): void => say(masked(line, secrets));
    const isOpen = await walkThrough(tell, signal, (walk) => tryOpenDoors(walk, openClient(wish.url), wish.url));
    if (!isOpen) return 1;
    const lacking = missing(wish);
    if (lacking.length > 0) throw new WishError(lacking.join('\n'));
    const doors = { isInteractive, hide: (secret: string) => void secrets.add(secret) };
    const isWell = await walkThrough(tell, signal, (walk) => goAllTheWay(walk, wish, doors));
    say(isWell ? 'smoke test passed' : 'smoke test failed');
    return isWell ? 0 : 1;
  } catch (error) {
    if (!(error instanceof WishError)) throw error;
    say(error.message);
    return 2;
  }
};

const goAllTheWay = async (walk: Walk, wish: Wish, doors: Doors): Promise<void> => {
  const { project, destination, collections, webhookUrl, minutes } = wish;
  if (!project || !destination) return;
  const token = await signIn(walk, wish, doors);
  const client = await enterOrganization(walk, wish, token);
  const storageDestinationId = await addDestination(walk, client, destination);
  const projectId = await connectProject(walk, client, project);
  const wanted = { projectId, storageDestinationId, ...(collections.length > 0 && { collections }) };
  await estimateBackup(walk, client, wanted);
  const backupId = await takeBackup(walk, client, wanted, minutes);
  await verifyBackup(walk, client, backupId, minutes);
  await browseBackup(walk, client, backupId);
  await planRestore(walk, client, backupId, minutes);
  if (webhookUrl === undefined) walk.skip('webhook', 'SMOKE_WEBHOOK_URL is not set');
  else await tryWebhook(walk, client, webhookUrl);
  await findInAuditLog(walk, client, backupId);
};

const masked = (line: string, secrets: ReadonlySet<string>): string =>
  [...secrets].reduce((text, secret) => text.replaceAll(secret, '***'), line);
