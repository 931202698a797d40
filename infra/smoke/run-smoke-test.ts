/** The smoke test: public endpoints, sign-in, backup, restore plan, webhook, clean-up. */

import { browseBackup, estimateBackup, takeBackup, verifyBackup } from './backup.ts';
import { checkPublicEndpoints } from './check-public-endpoints.ts';
import { openClient } from './client.ts';
import { missing, OptionsError, readOptions, type SmokeOptions, secretsOf, usage } from './options.ts';
import { findInAuditLog, planRestore, testWebhook } from './plan-restore.ts';
import { type SignInContext, signIn } from './sign-in.ts';
import { runSteps, type Say, type StepRunner } from './step-runner.ts';
import { addDestination, connectProject, enterOrganization } from './test-resources.ts';

interface Start {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly say: Say;
  readonly isInteractive: boolean;
  readonly signal: AbortSignal;
}

/** 0: success. 1: a step failed, or something could not be removed. 2: invalid options. */
export const runSmokeTest = async ({ words, env, say, isInteractive, signal }: Start): Promise<0 | 1 | 2> => {
  if (words.includes('--help')) {
    say(usage);
    return 0;
  }
  try {
    const options = readOptions(words, env);
    const secrets = new Set(secretsOf(options));
    const print = (line: string): void => say(masked(line, secrets));
    const isOpen = await runSteps(print, signal, (runner) => checkPublicEndpoints(runner, openClient(options.url), options.url));
    if (!isOpen) return 1;
    const lacking = missing(options);
    if (lacking.length > 0) throw new OptionsError(lacking.join('\n'));
    const context = { isInteractive, hide: (secret: string) => void secrets.add(secret) };
    const isWell = await runSteps(print, signal, (runner) => runBackupSteps(runner, options, context));
    say(isWell ? 'smoke test passed' : 'smoke test failed');
    return isWell ? 0 : 1;
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    say(error.message);
    return 2;
  }
};

const runBackupSteps = async (runner: StepRunner, options: SmokeOptions, context: SignInContext): Promise<void> => {
  const { project, destination, collections, webhookUrl, minutes } = options;
  if (!project || !destination) return;
  const token = await signIn(runner, options, context);
  const client = await enterOrganization(runner, options, token);
  const storageDestinationId = await addDestination(runner, client, destination);
  const projectId = await connectProject(runner, client, project);
  const wanted = { projectId, storageDestinationId, ...(collections.length > 0 && { collections }) };
  await estimateBackup(runner, client, wanted);
  const backupId = await takeBackup(runner, { client, input: wanted, minutes });
  await verifyBackup(runner, { client, id: backupId, minutes });
  await browseBackup(runner, client, backupId);
  await planRestore(runner, { client, backupId, minutes });
  if (webhookUrl === undefined) runner.skip('webhook', 'SMOKE_WEBHOOK_URL is not set');
  else await testWebhook(runner, client, webhookUrl);
  await findInAuditLog(runner, client, backupId);
};

const masked = (line: string, secrets: ReadonlySet<string>): string =>
  [...secrets].reduce((text, secret) => text.replaceAll(secret, '***'), line);
