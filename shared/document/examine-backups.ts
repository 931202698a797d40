import { microsOf } from '../pitr/index.ts';
import { mapConcurrent, type Tenant } from '../platform/index.ts';
import {
  type BackupDeps,
  type BackupRecord,
  type DocumentState,
  listBackups,
  readDocumentState,
} from '../stored-backup/index.ts';
import { existingState, type InBackup, unknownState } from './document-states.ts';

/** Opening a backup takes a few requests to its bucket, so that a page has few of them. */
const backupsMax = 20;
const backupsAtOnce = 5;

interface Examination {
  /** Newest first; without those that say nothing about the document. */
  readonly backups: InBackup[];
  readonly examined: number;
  readonly next: string | undefined;
}

/** What the completed backups of a project say about a document; as many as the page and the time allow. */
export const examineBackups = async (
  tenant: Tenant,
  {
    projectId,
    path,
    page,
    now,
    until,
    deps,
  }: {
    readonly projectId: string;
    readonly path: string;
    readonly page: { readonly limit: number; readonly after: string | undefined };
    readonly now: Date;
    readonly until: Date;
    readonly deps: BackupDeps;
  },
): Promise<Examination> => {
  const limit = Math.min(page.limit, backupsMax);
  const filter = { projectId, status: 'completed', internal: 'exclude' } as const;
  const listed = await listBackups(tenant, { filter, page: { limit, after: page.after }, now });
  const states = new Map<BackupRecord, DocumentState | undefined>();
  for (let at = 0; at < listed.backups.length && (at === 0 || deps.clock.now() < until); at += backupsAtOnce) {
    const some = listed.backups.slice(at, at + backupsAtOnce);
    const found = await mapConcurrent(some, backupsAtOnce, (backup) => readDocumentState(tenant, { backup, path, deps }));
    for (const [n, backup] of some.entries()) states.set(backup, found[n]);
  }
  const isWhole = states.size === listed.backups.length;
  const next = isWhole ? listed.next : [...states.keys()].at(-1)?.sk;
  const known = [...states].flatMap(([backup, state]) => (state ? [inBackup(backup, state)] : []));
  const backups = known.sort((a, b) => timeOf(b) - timeOf(a));
  return { backups: withChanges(backups, next === undefined), examined: states.size, next };
};

const timeOf = ({ readTime, createdAt }: InBackup): number => microsOf(readTime ?? createdAt);

const inBackup = ({ id, readTime, createdAt, type, trigger }: BackupRecord, state: DocumentState): InBackup => {
  const common = { ...unknownState, id, readTime, createdAt, type, trigger, changed: null, reason: null };
  if (state.kind === 'exists') return { ...common, ...existingState(state.encoded, state.rootLength) };
  if (state.kind === 'missing') return { ...common, exists: false };
  return 'message' in state
    ? { ...common, reason: state.kind, message: state.message }
    : { ...common, erased: true, reason: 'erased' };
};

/** Marks the states that differ from the next older one. An unchanged state leaves its fields to the older one. */
const withChanges = (newestFirst: readonly InBackup[], isEnd: boolean): InBackup[] =>
  newestFirst.map((backup, n) => {
    if (backup.exists === null) return backup;
    const older = newestFirst.slice(n + 1).find(({ exists }) => exists !== null);
    if (!older) return { ...backup, changed: isEnd ? backup.exists : null };
    const changed = backup.exists !== older.exists || backup.contentHash !== older.contentHash;
    return { ...backup, changed, document: changed ? backup.document : null };
  });
