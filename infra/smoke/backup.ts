/** A backup: what it would cost, taking it, checking it, and reading it where it lies. */
import { type Client, StepError } from './client.ts';
import { until } from './poll-until.ts';
import type { Walk } from './step-runner.ts';
import { onceFree } from './test-resources.ts';

export interface BackupWish {
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

const count = (number: number | null): string => (number === null ? 'an unknown number of' : number.toLocaleString('en'));
const isRunning = ({ status }: Backup): boolean => status === 'pending' || status === 'running';

export const estimateBackup = (walk: Walk, client: Client, wish: BackupWish): Promise<void> =>
  walk.step('estimate', async () => {
    const { documents, estimatedUsd } = await client.call<{ documents: number | null; estimatedUsd: number | null }>(
      'POST',
      '/backups',
      { ...wish, dryRun: true },
    );
    return [`about ${count(documents)} documents, read for ${estimatedUsd ?? 'an unknown number of'} USD`, undefined];
  });

export const takeBackup = (walk: Walk, client: Client, wish: BackupWish, minutes: number): Promise<string> =>
  walk.step('backup', async () => {
    const { id } = await client.call<Backup>('POST', '/backups', wish);
    const read = () => client.call<Backup>('GET', `/backups/${id}`);
    walk.made(`backup ${id}`, async () => {
      if (isRunning(await read())) await client.call('POST', `/backups/${id}/cancel`, {});
      await onceFree(() => client.call('DELETE', `/backups/${id}`));
    });
    let told = '';
    const done = await until({ what: `the backup ${id}`, minutes, signal: walk.signal }, read, (backup) => {
      const { phase, progress } = backup;
      const tenth = `${phase}, ${progress.percent - (progress.percent % 10)} %`;
      if (tenth !== told && isRunning(backup)) walk.tell(`${tenth}, ${count(progress.documents)} documents`);
      told = tenth;
      return !isRunning(backup);
    });
    if (done.status !== 'completed')
      throw new StepError(`${id} ended as ${done.status}: ${done.error?.code}: ${done.error?.message}`);
    return [`${id}, ${count(done.documentCount)} documents as of ${done.readTime}, ${done.sizeFormatted} stored`, id];
  });

export const verifyBackup = (walk: Walk, client: Client, id: string, minutes: number): Promise<void> =>
  walk.step('verify', async () => {
    await client.call('POST', `/backups/${id}/verify`, { depth: 'structure' });
    const { verification } = await until(
      { what: 'the verification', minutes, signal: walk.signal },
      () => client.call<Backup>('GET', `/backups/${id}`),
      (backup) => ['passed', 'failed'].includes(backup.verification?.status ?? ''),
    );
    if (verification?.status !== 'passed') throw new StepError(`the backup ${id} is damaged`);
    return [`${verification.objects} objects are there, whole`, undefined];
  });

interface Entry {
  readonly type: string;
  readonly path: string;
}

/** What is in documents, and their names, are the customer's: neither is printed. */
export const browseBackup = (walk: Walk, client: Client, id: string): Promise<void> =>
  walk.step('browse', async () => {
    const at = (path: string) =>
      client.call<readonly Entry[]>('GET', `/backups/${id}/documents?${new URLSearchParams({ path, showMissing: 'true' })}`);
    const collections = await at('');
    const [first] = collections;
    if (!first) return ['it is empty', undefined];
    const [document] = await at(first.path);
    if (!document) throw new StepError(`the backup ${id} lists a collection that has nothing in it`);
    const [read] = await at(document.path);
    if (!read) throw new StepError(`the backup ${id} lists a document that cannot be read`);
    return [`${collections.length} collections, and one document read out of the first`, undefined];
  });
