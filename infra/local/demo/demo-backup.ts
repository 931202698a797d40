/** First half of the demo: fills a database, backs it up, verifies the backup and reads one document from it. */
import type { Client } from '../../smoke/client.ts';
import { pollUntil } from '../../smoke/poll-until.ts';
import type { State } from '../base/stage-state.ts';
import { demoBucket } from '../boot/local-config.ts';
import { writeDemoDocuments } from './demo-documents.ts';

/** Enough to show progress, few enough to finish within seconds. */
const documentCount = 2_000;
const demoSource = 'demo-project';

export interface DemoStage {
  readonly url: string;
  readonly identityUrl: string;
  readonly firestore: { readonly address: string };
  readonly state: State;
}

export interface DemoBackup {
  readonly projectId: string;
  readonly backupId: string;
  /** The prefix of the backup's objects in the bucket. */
  readonly path: string;
}

interface Backup extends DemoJob {
  readonly id: string;
  readonly documentCount: number;
  readonly sizeFormatted: string;
  readonly originalSize: number;
  readonly size: number;
  readonly duration: number;
  readonly path: string;
  readonly readTime: string;
  readonly verification: { readonly status: string; readonly objects: number } | null;
}

export const takeDemoBackup = async (stage: DemoStage, client: Client, output: DemoOutput): Promise<DemoBackup> => {
  output.line(`writing ${documentCount} documents to the Firestore project ${demoSource}`);
  await writeDemoDocuments(stage.firestore.address, demoSource, documentCount);
  const destination = await client.call<{ id: string }>('POST', '/storage-destinations', {
    name: 'Demo bucket',
    type: 's3',
    bucket: demoBucket,
    credentials: { accessKeyId: 'demo', secretAccessKey: 'demo' },
  });
  const project = await client.call<{ id: string }>('POST', '/projects', {
    name: 'Demo',
    sourceProjectId: demoSource,
    settings: { defaultStorageId: destination.id },
  });
  const { id } = await client.call<Backup>('POST', '/backups', { projectId: project.id });
  const done = await untilEnded<Backup>(client, `/backups/${id}`, output);
  output.line(
    `backed up ${done.documentCount} documents as of ${done.readTime} in ${done.duration} ms: ${done.sizeFormatted} stored, ` +
      `${((100 * done.size) / done.originalSize).toFixed(0)} % of the original size`,
  );
  await client.call('POST', `/backups/${id}/verify`, { depth: 'full' });
  const { verification } = await pollUntil(
    { what: 'the verification', ...patience },
    () => client.call<Backup>('GET', `/backups/${id}`),
    (backup) => ['passed', 'failed'].includes(backup.verification?.status ?? ''),
  );
  if (verification?.status !== 'passed') throw new Error('the verification failed');
  output.line(`verified all ${verification.objects} objects of the backup: ${verification.status}`);
  const [document] = await client.call<readonly { path: string; fields: Record<string, { stringValue?: string }> }[]>(
    'GET',
    `/backups/${id}/documents?path=users/u0`,
  );
  output.line(`read one document from the backup: ${document?.path} is ${document?.fields.name?.stringValue}`);
  return { projectId: project.id, backupId: id, path: done.path };
};

/** Console output: permanent lines, and one progress bar that is overwritten. */
export interface DemoOutput {
  line(text: string): void;
  bar(text: string): void;
}

/** A backup or a restore while it runs. */
export interface DemoJob {
  readonly status: string;
  readonly phase: string;
  readonly progress: { readonly percent: number; readonly documents: number };
  readonly error: { readonly message: string } | null;
}

const patience = { minutes: 5, signal: new AbortController().signal };

/** Shows the progress of a job until it has ended; throws unless it completed. */
export const untilEnded = async <T extends DemoJob>(client: Client, path: string, output: DemoOutput): Promise<T> => {
  const done = await pollUntil(
    { what: path, ...patience },
    () => client.call<T>('GET', path),
    (job) => {
      output.bar(progressBar(job));
      return job.status !== 'pending' && job.status !== 'running';
    },
  );
  if (done.status === 'completed') return done;
  throw new Error(`${path} ended with status ${done.status}: ${done.error?.message}`);
};

const progressBar = ({ phase, progress: { percent, documents } }: DemoJob): string =>
  `${'█'.repeat(percent / 5).padEnd(20, '░')} ${String(percent).padStart(3)} %  ${phase}, ${documents} documents`;
