/** Steps that use the backup: plan a restore, test a webhook, find the audit entry. */
import { type Client, StepError } from './client.ts';
import { pollUntil } from './poll-until.ts';
import type { StepRunner } from './step-runner.ts';
import { testName } from './test-resources.ts';

interface Plan {
  readonly create: number;
  readonly overwrite: number;
  readonly unchanged: number;
}

/** A plan in the response, or a job for a large target. */
interface Planned extends Partial<Plan> {
  readonly restoreJobId?: string;
  readonly status?: string;
  readonly plan?: Plan | null;
  readonly error?: { readonly code: string; readonly message: string } | null;
}

export const planRestore = (runner: StepRunner, client: Client, backupId: string, minutes: number): Promise<void> =>
  runner.step('restore, dry run', async () => {
    const answer = await client.call<Planned>('POST', '/backups/restore', { backupId, options: { dryRun: true } });
    const { restoreJobId } = answer;
    const job =
      restoreJobId === undefined
        ? undefined
        : await pollUntil(
            { what: `the plan ${restoreJobId}`, minutes, signal: runner.signal },
            () => client.call<Planned>('GET', `/backups/restore/${restoreJobId}`),
            ({ status }) => status !== 'pending' && status !== 'running',
          );
    const { create, overwrite, unchanged } = job ? (job.plan ?? {}) : answer;
    if (unchanged === undefined) throw new StepError(`the dry run failed: ${job?.error?.code}: ${job?.error?.message}`);
    return [
      `would create ${create} and overwrite ${overwrite} documents, ${unchanged} are unchanged; nothing was written`,
      undefined,
    ];
  });

interface WebhookTest {
  readonly success: boolean;
  readonly statusCode: number | null;
  readonly error?: string;
  readonly duration: number;
}

export const testWebhook = (runner: StepRunner, client: Client, url: string): Promise<void> =>
  runner.step('webhook', async () => {
    const webhook = { name: testName, url, events: ['backup.completed'], enabled: false };
    const { id } = await client.call<{ id: string }>('POST', '/webhooks', webhook);
    runner.created(`webhook ${id}`, () => client.call('DELETE', `/webhooks/${id}`));
    const tried = await client.call<WebhookTest>('POST', `/webhooks/${id}/test`, { event: 'backup.completed' });
    if (!tried.success) throw new StepError(`${new URL(url).host} answered ${tried.statusCode ?? 'nothing'}: ${tried.error}`);
    return [`${new URL(url).host} answered ${tried.statusCode} within ${tried.duration} ms`, undefined];
  });

export const findInAuditLog = (runner: StepRunner, client: Client, backupId: string): Promise<void> =>
  runner.step('audit log', async () => {
    const entries = await client.call<readonly { resource: { id: string } }[]>('GET', '/audit-logs?action=backup.created');
    if (!entries.some(({ resource }) => resource.id === backupId)) throw new StepError(`no entry for ${backupId}`);
    return [`has the entry for ${backupId} with its actor`, undefined];
  });
