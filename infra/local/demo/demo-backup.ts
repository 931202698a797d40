/** Backs the demo's database up, verifies the backup and reads one document from it. */
import type { Client, JobKind, Jobs } from '../../../shared/client/index.ts';
import type { State } from '../base/stage-state.ts';
import { demoBucket } from '../boot/local-config.ts';
import { demoSource } from './demo-documents.ts';

export interface DemoStage {
  readonly url: string;
  readonly identityUrl: string;
  readonly firestore: { readonly address: string };
  readonly state: State;
}

export interface DemoBackup {
  readonly projectId: string;
  readonly storageId: string;
  readonly backupId: string;
  /** The prefix of the backup's objects in the bucket. */
  readonly path: string;
}

export const takeDemoBackup = async (client: Client, output: DemoOutput): Promise<DemoBackup> => {
  output.line(`connecting the bucket ${demoBucket} and the Firestore project ${demoSource}, and backing it up`);
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
  return { projectId: project.id, storageId: destination.id, backupId: id, path: done.path };
};

export interface DemoVerification {
  readonly objects: number;
}

export const verifyDemoBackup = async (
  client: Client,
  { backupId }: DemoBackup,
  output: DemoOutput,
): Promise<DemoVerification> => {
  const objects = await verifyObjects(client, backupId, 'full');
  output.line(`verified all ${objects} objects of the backup: passed`);
  const query = { path: 'users/u0' };
  const [document] = await client.request('GET /backups/{backupId}/documents', { params: { backupId }, query });
  const name = document?.fields?.name as { readonly stringValue?: string } | undefined;
  output.line(`read one document from the backup: ${document?.path} is ${name?.stringValue}`);
  return { objects };
};

/** The number of objects that were verified; throws if one is missing or damaged. */
export const verifyObjects = async (client: Client, backupId: string, depth: 'structure' | 'full'): Promise<number> => {
  await client.request('POST /backups/{backupId}/verify', { params: { backupId }, body: { depth } });
  const { verification } = await client.waitFor('backup', backupId, {
    ...waiting(),
    until: (backup) => ['passed', 'failed'].includes(backup.verification?.status ?? ''),
  });
  if (verification?.status !== 'passed') throw new Error(`the verification of ${backupId} failed`);
  return verification.objects;
};

/** Console output: permanent lines, and one progress bar that is overwritten. */
export interface DemoOutput {
  line(text: string): void;
  bar(text: string): void;
}

const waitMs = 5 * 60_000;

/** Jobs of the demo take seconds: they are read every 50 to 500 ms. */
const waiting = () => ({ signal: AbortSignal.timeout(waitMs), intervalMs: 50 });

/** Shows the progress of a job until it has ended; throws unless it completed. */
export const untilEnded = async <K extends JobKind>(
  client: Client,
  { kind, id, output }: { readonly kind: K; readonly id: string; readonly output: DemoOutput },
): Promise<Jobs[K]> => {
  const done = await client.waitFor(kind, id, {
    ...waiting(),
    onProgress: (job) => output.bar(progressBar(job)),
  });
  if (done.status === 'completed') return done;
  throw new Error(`the ${kind} ${id} ended with status ${done.status}: ${done.error?.message}`);
};

const progressBar = ({ phase, progress: { percent, documents } }: Jobs[JobKind]): string =>
  `${'█'.repeat(percent / 5).padEnd(20, '░')} ${String(percent).padStart(3)} %  ${phase}, ${documents} documents`;
