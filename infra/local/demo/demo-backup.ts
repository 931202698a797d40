/** First part of the demo: fills a database, backs it up, verifies the backup and reads one document from it. */
import type { Client, JobKind, Jobs } from '../../../shared/client/index.ts';
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

export const takeDemoBackup = async (stage: DemoStage, client: Client, output: DemoOutput): Promise<DemoBackup> => {
  output.line(`writing ${documentCount} documents to the Firestore project ${demoSource}`);
  await writeDemoDocuments(stage.firestore.address, demoSource, documentCount);
  const destination = await client.request('POST /storage-destinations', {
    body: {
      name: 'Demo bucket',
      type: 's3',
      bucket: demoBucket,
      credentials: { accessKeyId: 'demo', secretAccessKey: 'demo' },
    },
  });
  const project = await client.request('POST /projects', {
    body: { name: 'Demo', sourceProjectId: demoSource, settings: { defaultStorageId: destination.id } },
  });
  const started = await client.request('POST /backups', { body: { projectId: project.id } });
  if (!('id' in started)) throw new Error('the backup was estimated instead of started');
  const { id } = started;
  const done = await untilEnded(client, { kind: 'backup', id, output });
  output.line(
    `backed up ${done.documentCount} documents as of ${done.readTime} in ${done.duration} ms: ${done.sizeFormatted} stored, ` +
      `${((100 * done.size) / done.originalSize).toFixed(0)} % of the original size`,
  );
  const params = { backupId: id };
  await client.request('POST /backups/{backupId}/verify', { params, body: { depth: 'full' } });
  const { verification } = await client.waitFor('backup', id, {
    signal: AbortSignal.timeout(waitMs),
    until: (backup) => ['passed', 'failed'].includes(backup.verification?.status ?? ''),
  });
  if (verification?.status !== 'passed') throw new Error('the verification failed');
  output.line(`verified all ${verification.objects} objects of the backup: ${verification.status}`);
  const [document] = await client.request('GET /backups/{backupId}/documents', { params, query: { path: 'users/u0' } });
  const name = document?.fields?.name as { readonly stringValue?: string } | undefined;
  output.line(`read one document from the backup: ${document?.path} is ${name?.stringValue}`);
  return { projectId: project.id, backupId: id, path: done.path };
};

/** Console output: permanent lines, and one progress bar that is overwritten. */
export interface DemoOutput {
  line(text: string): void;
  bar(text: string): void;
}

const waitMs = 5 * 60_000;

/** Shows the progress of a job until it has ended; throws unless it completed. */
export const untilEnded = async <K extends JobKind>(
  client: Client,
  { kind, id, output }: { readonly kind: K; readonly id: string; readonly output: DemoOutput },
): Promise<Jobs[K]> => {
  const done = await client.waitFor(kind, id, {
    signal: AbortSignal.timeout(waitMs),
    onProgress: (job) => output.bar(progressBar(job)),
  });
  if (done.status === 'completed') return done;
  throw new Error(`the ${kind} ${id} ended with status ${done.status}: ${done.error?.message}`);
};

const progressBar = ({ phase, progress: { percent, documents } }: Jobs[JobKind]): string =>
  `${'█'.repeat(percent / 5).padEnd(20, '░')} ${String(percent).padStart(3)} %  ${phase}, ${documents} documents`;
