/** Steps that estimate, take, verify and browse a backup. */
import { type Client, StepError } from './client.ts';
import { pollUntil } from './poll-until.ts';
import type { StepRunner } from './step-runner.ts';
import { retryWhileInUse } from './test-resources.ts';

interface BackupInput {
  readonly projectId: string;
  readonly storageDestinationId: string;
  readonly collections?: readonly string[];
}

interface Backup {
  readonly id: string;
  readonly status: string;
  readonly phase: string;
  readonly progress: { readonly percent: number; readonly documents: number };
  readonly documentCount: number;
  readonly sizeFormatted: string;
  readonly readTime: string;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly verification: { readonly status: string; readonly objects: number } | null;
}

const count = (number: number | null): string => (number === null ? 'an unknown amount of' : number.toLocaleString('en'));
const isRunning = ({ status }: Backup): boolean => status === 'pending' || status === 'running';

export const estimateBackup = (runner: StepRunner, client: Client, input: BackupInput): Promise<void> =>
  runner.step('estimate', async () => {
    const { documents, estimatedUsd } = await client.call<{ documents: number | null; estimatedUsd: number | null }>(
      'POST',
      '/backups',
      { ...input, dryRun: true },
    );
    return [`about ${count(documents)} documents, reads cost ${estimatedUsd ?? 'an unknown amount of'} USD`, undefined];
  });

export const takeBackup = (runner: StepRunner, client: Client, input: BackupInput, minutes: number): Promise<string> =>
  runner.step('backup', async () => {
    const { id } = await client.call<Backup>('POST', '/backups', input);
    const read = () => client.call<Backup>('GET', `/backups/${id}`);
    runner.created(`backup ${id}`, async () => {
      if (isRunning(await read())) await client.call('POST', `/backups/${id}/cancel`, {});
      await retryWhileInUse(() => client.call('DELETE', `/backups/${id}`));
    });
    let lastPrinted = '';
    const done = await pollUntil({ what: `the backup ${id}`, minutes, signal: runner.signal }, read, (backup) => {
      const { phase, progress } = backup;
      const tenth = `${phase}, ${progress.percent - (progress.percent % 10)} %`;
      if (tenth !== lastPrinted && isRunning(backup)) runner.print(`${tenth}, ${count(progress.documents)} documents`);
      lastPrinted = tenth;
      return !isRunning(backup);
    });
    if (done.status !== 'completed')
      throw new StepError(`${id} ended with status ${done.status}: ${done.error?.code}: ${done.error?.message}`);
    return [`${id}, ${count(done.documentCount)} documents as of ${done.readTime}, ${done.sizeFormatted} stored`, id];
  });

export const verifyBackup = (runner: StepRunner, client: Client, id: string, minutes: number): Promise<void> =>
  runner.step('verify', async () => {
    await client.call('POST', `/backups/${id}/verify`, { depth: 'structure' });
    const { verification } = await pollUntil(
      { what: 'the verification', minutes, signal: runner.signal },
      () => client.call<Backup>('GET', `/backups/${id}`),
      (backup) => ['passed', 'failed'].includes(backup.verification?.status ?? ''),
    );
    if (verification?.status !== 'passed') throw new StepError(`the backup ${id} is damaged`);
    return [`${verification.objects} objects are intact`, undefined];
  });

interface Entry {
  readonly type: string;
  readonly path: string;
}

/** Prints neither names nor contents of documents, which belong to the customer. */
export const browseBackup = (runner: StepRunner, client: Client, id: string): Promise<void> =>
  runner.step('browse', async () => {
    const at = (path: string) =>
      client.call<readonly Entry[]>('GET', `/backups/${id}/documents?${new URLSearchParams({ path, showMissing: 'true' })}`);
    const collections = await at('');
    const [first] = collections;
    if (!first) return ['the backup is empty', undefined];
    const [document] = await at(first.path);
    if (!document) throw new StepError(`the backup ${id} lists a collection without documents`);
    const [read] = await at(document.path);
    if (!read) throw new StepError(`the backup ${id} lists a document that cannot be read`);
    return [`${collections.length} collections; read one document of the first`, undefined];
  });
