/** Looks for damage that a reader does not notice, without reading a chunk: one listing of each folder, and the key objects. */
import { keyFileName, manifestName, type ObjectEntry, objectKind, storedObjects } from '../../archive/index.ts';
import { headExpected, type ObjectStore, objectWithHash, StorageError } from '../../destination/index.ts';
import { mapConcurrent, type Tenant } from '../../platform/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import type { BackupRecord } from '../model/record.ts';
import { keyWith, type OpenArchive } from '../read/open-archive.ts';
import { type Problem, qualifiedName, sizeProblem, toProblem } from './check-object.ts';
import { checkParentKeys } from './check-parent-keys.ts';
import { checkKeyFile } from './open-for-verification.ts';
import { type VerificationFinding, VerificationReport } from './verification-report.ts';

export interface Inspection {
  /** What would fail a verification; the first 100. */
  readonly findings: readonly VerificationFinding[];
  readonly count: number;
  /** What a structural verification finds, too, by archive: of this backup everything that is damaged, of each that it depends on what belongs to it. */
  readonly damage: ReadonlyMap<string, FoundDamage>;
}

export interface FoundDamage {
  readonly first: VerificationFinding;
  readonly count: number;
}

/** The objects of other backups that this one depends on are included. Throws only if the store does not answer. */
export const inspectObjects = async (
  tenant: Tenant,
  {
    backup,
    open,
    deps,
  }: { readonly backup: BackupRecord; readonly open: OpenArchive; readonly deps: Pick<BackupDeps, 'unlockKeyFile'> },
): Promise<Inspection> => {
  const report = new VerificationReport();
  const own = backup.archive.backup;
  const objects = Map.groupBy(storedObjects(open.archive.manifest), (entry) => entry.backup);
  for (const archiveId of new Set([own, ...objects.keys()])) {
    const store = await storeOf(open, archiveId);
    if (!store) continue;
    try {
      await inspectFolder(open, { store, entries: objects.get(archiveId) ?? [], report });
    } catch (error) {
      if (!(error instanceof StorageError) || error.isTransient) throw error;
      const message = `The objects of the backup cannot be listed: ${error.message}`;
      report.add(qualifiedName({ backup: archiveId, name: manifestName }, open.archive), 'unreadable', message);
    }
  }
  const key = await inspectKey(tenant, { backup, open, deps });
  if (key) report.add(keyFileName, key.problem, key.message);
  await checkParentKeys({ tenant, open, deps }, backup, report);
  const { all, findings, count } = report;
  return { findings, count, damage: damageIn(all, own) };
};

/** Undefined if the other backup cannot be opened, which the check of its key reports. */
const storeOf = async (open: OpenArchive, archiveId: string): Promise<ObjectStore | undefined> => {
  try {
    return (await open.sourceOf(archiveId)).store;
  } catch (error) {
    toProblem(error);
    return undefined;
  }
};

/** Objects of a locked folder whose stored version is searched: the search may read versions as a whole. */
const searchedMax = 100;
const requestsAtOnce = 8;
const notSearched: Problem = {
  problem: 'hidden',
  message: 'A delete marker or a newer version hides the object. The version that was stored was not searched for',
};

const inspectFolder = async (
  open: OpenArchive,
  {
    store,
    entries,
    report,
  }: { readonly store: ObjectStore; readonly entries: readonly ObjectEntry[]; readonly report: VerificationReport },
): Promise<void> => {
  const sizes = new Map<string, number>();
  for await (const { name, size } of store.list('')) sizes.set(name, size);
  const wrong = entries.filter(({ name, size }) => sizes.get(name) !== size);
  if (wrong.length === 0) return;
  const overwritten = await store.versions?.overwritten();
  let searched = 0;
  const problems = await mapConcurrent(wrong, requestsAtOnce, async (entry): Promise<Problem | undefined> => {
    // A locked version that another one hides is what readers get.
    const isSearched = store.versions !== undefined && (overwritten?.has(entry.name) ?? true);
    if (isSearched && ++searched > searchedMax) return notSearched;
    try {
      // A listing may lag behind.
      return sizeProblem((await headExpected(store, objectWithHash(entry)))?.size, entry);
    } catch (error) {
      if (error instanceof StorageError && error.isTransient) throw error;
      return toProblem(error);
    }
  });
  for (const [n, entry] of wrong.entries()) {
    const found = problems[n];
    if (found) report.add(qualifiedName(entry, open.archive), found.problem, found.message);
  }
};

const inspectKey = async (
  tenant: Tenant,
  {
    backup,
    open,
    deps,
  }: { readonly backup: BackupRecord; readonly open: OpenArchive; readonly deps: Pick<BackupDeps, 'unlockKeyFile'> },
): Promise<Problem | undefined> => {
  try {
    const source = await open.sourceOf(backup.archive.backup);
    const size = (await headExpected(source.store, keyWith(backup.keyFile)))?.size;
    return await checkKeyFile(tenant, { backup, own: { ...source, size }, deps });
  } catch (error) {
    if (error instanceof StorageError && error.isTransient) throw error;
    return toProblem(error);
  }
};

const damageIn = (findings: readonly VerificationFinding[], own: string): Inspection['damage'] => {
  const damaged = findings.filter(({ problem }) => problem !== 'unreadable' && problem !== 'hidden');
  const [first] = damaged;
  if (!first) return new Map();
  const inherited = damaged.flatMap((finding) => {
    if (finding.object === keyFileName || objectKind(finding.object) !== undefined) return [];
    const [archiveId = '', ...name] = finding.object.split('/');
    return [{ archiveId, finding: { ...finding, object: name.join('/') } }];
  });
  const found = new Map<string, FoundDamage>([[own, { first, count: damaged.length }]]);
  for (const { archiveId, finding } of inherited) {
    const { first: before = finding, count = 0 } = found.get(archiveId) ?? {};
    found.set(archiveId, { first: before, count: count + 1 });
  }
  return found;
};
