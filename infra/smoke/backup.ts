/** Steps that estimate, take, verify and browse a backup. */
import type { Jobs } from '../../shared/client/index.ts';
import { type Client, StepError } from './client.ts';
import { pollUntil } from './poll-until.ts';
import type { StepRunner } from './step-runner.ts';
import { retryWhileInUse } from './test-resources.ts';

interface BackupInput {
  readonly projectId: string;
  readonly storageDestinationId: string;
  readonly collections?: readonly string[];
}

type Backup = Jobs['backup'];

const count = (number: number | null): string => (number === null ? 'an unknown amount of' : number.toLocaleString('en'));
const isRunning = ({ status }: Backup): boolean => status === 'pending' || status === 'running';

export const estimateBackup = (runner: StepRunner, client: Client, input: BackupInput): Promise<void> =>
  runner.step('estimate', async () => {
    const estimate = await client.request('POST /backups', { body: { ...input, dryRun: true } });
    if (!('estimatedUsd' in estimate)) throw new StepError('a backup was started instead of estimated');
    const { documents, estimatedUsd } = estimate;
    return [`about ${count(documents)} documents, reads cost ${estimatedUsd ?? 'an unknown amount of'} USD`, undefined];
  });

export const takeBackup = (
  runner: StepRunner,
  { client, input, minutes }: { readonly client: Client; readonly input: BackupInput; readonly minutes: number },
): Promise<string> =>
  runner.step('backup', async () => {
    const started = await client.request('POST /backups', { body: input });
    if (!('id' in started)) throw new StepError('the backup was estimated instead of started');
    const { id } = started;
    const params = { backupId: id };
    const read = () => client.request('GET /backups/{backupId}', { params });
    runner.created(`backup ${id}`, async () => {
      if (isRunning(await read())) await client.request('POST /backups/{backupId}/cancel', { params }).catch(ignoreEnded);
      await retryWhileInUse(() => client.request('DELETE /backups/{backupId}', { params }));
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

export const verifyBackup = (
  runner: StepRunner,
  { client, id, minutes }: { readonly client: Client; readonly id: string; readonly minutes: number },
): Promise<void> =>
  runner.step('verify', async () => {
    const params = { backupId: id };
    await client.request('POST /backups/{backupId}/verify', { params, body: { depth: 'structure' } });
    const { verification } = await pollUntil(
      { what: 'the verification', minutes, signal: runner.signal },
      () => client.request('GET /backups/{backupId}', { params }),
      (backup) => ['passed', 'failed'].includes(backup.verification?.status ?? ''),
    );
    if (verification?.status !== 'passed') throw new StepError(`the backup ${id} is damaged`);
    return [`${verification.objects} objects are intact`, undefined];
  });

/** Prints neither names nor contents of documents, which belong to the customer. */
export const browseBackup = (runner: StepRunner, client: Client, id: string): Promise<void> =>
  runner.step('browse', async () => {
    const at = (path: string) =>
      client.request('GET /backups/{backupId}/documents', { params: { backupId: id }, query: { path, showMissing: 'true' } });
    const collections = await at('');
    const [first] = collections;
    if (!first) return ['the backup is empty', undefined];
    const [document] = await at(first.path);
    if (!document) throw new StepError(`the backup ${id} lists a collection without documents`);
    const [read] = await at(document.path);
    if (!read) throw new StepError(`the backup ${id} lists a document that cannot be read`);
    return [`${collections.length} collections; read one document of the first`, undefined];
  });

/** A backup that has just ended cannot be cancelled. */
const ignoreEnded = (error: unknown): void => {
  if (!(error instanceof StepError && error.status === 409)) throw error;
};
