/** First half of the demo: fills a database, backs it up, verifies the backup and reads one document from it. */
import { setTimeout as pause } from 'node:timers/promises';
import type { State } from '../base/stage-state.ts';
import { demoBucket } from '../boot/local-config.ts';
import type { DemoClient } from './demo-client.ts';
import { writeDemoDocuments } from './demo-documents.ts';

/** Enough to show progress, few enough to finish within seconds. */
const documentCount = 2_000;
const demoSource = 'demo-project';

/** The part of the stage that the demo uses. */
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

interface Backup {
  readonly id: string;
  readonly status: string;
  readonly phase: string;
  readonly progress: { readonly percent: number; readonly documents: number };
  readonly documentCount: number;
  readonly sizeFormatted: string;
  readonly originalSize: number;
  readonly size: number;
  readonly duration: number;
  readonly path: string;
  readonly readTime: string;
  readonly error: { readonly message: string } | null;
  readonly verification: { readonly status: string; readonly objects: number } | null;
}

export const takeDemoBackup = async (stage: DemoStage, client: DemoClient, output: DemoOutput): Promise<DemoBackup> => {
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
  const done = await untilEnded(client, id, output);
  output.line(
    `backed up ${done.documentCount} documents as of ${done.readTime} in ${done.duration} ms: ${done.sizeFormatted} stored, ` +
      `${((100 * done.size) / done.originalSize).toFixed(0)} % of the original size`,
  );
  await client.call('POST', `/backups/${id}/verify`, { depth: 'full' });
  const verified = await untilVerified(client, id);
  output.line(`verified all ${verified.verification?.objects} objects of the backup: ${verified.verification?.status}`);
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

export const pollMs = 150;

interface Growing {
  readonly phase: string;
  readonly progress: { readonly percent: number; readonly documents: number };
}

export const progressBar = ({ phase, progress: { percent, documents } }: Growing): string =>
  `${'█'.repeat(percent / 5).padEnd(20, '░')} ${String(percent).padStart(3)} %  ${phase}, ${documents} documents`;

const untilEnded = async (client: DemoClient, id: string, output: DemoOutput): Promise<Backup> => {
  for (;;) {
    const backup = await client.call<Backup>('GET', `/backups/${id}`);
    output.bar(progressBar(backup));
    if (backup.status === 'completed') return backup;
    if (backup.status !== 'pending' && backup.status !== 'running') {
      throw new Error(`the backup ended with status ${backup.status}: ${backup.error?.message}`);
    }
    await pause(pollMs);
  }
};

const untilVerified = async (client: DemoClient, id: string): Promise<Backup> => {
  for (;;) {
    const backup = await client.call<Backup>('GET', `/backups/${id}`);
    if (backup.verification?.status === 'passed') return backup;
    if (backup.verification?.status === 'failed') throw new Error('the verification failed');
    await pause(pollMs);
  }
};
