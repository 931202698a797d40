/** Steps that use the backup: plan a restore, test a webhook, find the audit entry. */
import { type Client, StepError } from './client.ts';
import { pollUntil } from './poll-until.ts';
import type { StepRunner } from './step-runner.ts';
import { testName } from './test-resources.ts';

export const planRestore = (
  runner: StepRunner,
  { client, backupId, minutes }: { readonly client: Client; readonly backupId: string; readonly minutes: number },
): Promise<void> =>
  runner.step('restore, dry run', async () => {
    const answer = await client.request('POST /backups/restore', { body: { backupId, options: { dryRun: true } } });
    // A job, if the target is too large to plan within the request.
    const job =
      'restoreJobId' in answer
        ? await pollUntil(
            { what: `the plan ${answer.restoreJobId}`, minutes, signal: runner.signal },
            () => client.request('GET /backups/restore/{restoreJobId}', { params: { restoreJobId: answer.restoreJobId } }),
            ({ status }) => status !== 'pending' && status !== 'running',
          )
        : undefined;
    const plan = 'restoreJobId' in answer ? job?.plan : answer;
    if (!plan) throw new StepError(`the dry run failed: ${job?.error?.code}: ${job?.error?.message}`);
    return [
      `would create ${plan.create} and overwrite ${plan.overwrite} documents, ${plan.unchanged} are unchanged; nothing was written`,
      undefined,
    ];
  });

export const testWebhook = (runner: StepRunner, client: Client, url: string): Promise<void> =>
  runner.step('webhook', async () => {
    const webhook = { name: testName, url, events: ['backup.completed'], enabled: false };
    const { id: webhookId } = await client.request('POST /webhooks', { body: webhook });
    const params = { webhookId };
    runner.created(`webhook ${webhookId}`, () => client.request('DELETE /webhooks/{webhookId}', { params }));
    const tried = await client.request('POST /webhooks/{webhookId}/test', { params, body: { event: 'backup.completed' } });
    if (!tried.success) throw new StepError(`${new URL(url).host} answered ${tried.statusCode ?? 'nothing'}: ${tried.error}`);
    return [`${new URL(url).host} answered ${tried.statusCode} within ${tried.duration} ms`, undefined];
  });

export const findInAuditLog = (runner: StepRunner, client: Client, backupId: string): Promise<void> =>
  runner.step('audit log', async () => {
    const entries = await client.request('GET /audit-logs', { query: { action: 'backup.created' } });
    if (!entries.some(({ resource }) => resource.id === backupId)) throw new StepError(`no entry for ${backupId}`);
    return [`has the entry for ${backupId} with its actor`, undefined];
  });
