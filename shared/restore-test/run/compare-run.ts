/** Compares the documents of the tested backup with its index, and with the target or the source. */
import type { Archive } from '../../archive/index.ts';
import { scopeOf } from '../../firestore/index.ts';
import { after, commit, get } from '../../platform/index.ts';
import { type BackupRecord, openArchive, readBackup } from '../../stored-backup/index.ts';
import { drawSample } from '../compare/draw-sample.ts';
import { newWalk, type WalkOptions, walkDocuments } from '../compare/walk-documents.ts';
import { type RunRecord, restoreTestKey, type WalkState } from '../model/record.ts';
import { compareWithSource, compareWithTarget, ignore } from './compare-live.ts';
import { compareWithIndex, comparisonsOf } from './comparison-result.ts';
import { concludeWith, DifferenceList, enterPhase, type RunContext, type RunProgress, setRun } from './run-writes.ts';

export const compareDocuments = async (context: RunContext): Promise<RunProgress> => {
  const { tenant, run, deps } = context;
  const backup = await readBackup(tenant, run.backupId ?? '');
  const open = await openArchive(tenant, { backup, deps });
  try {
    const { archive } = open;
    if (run.scope.type === 'sample' && run.sample === undefined) return await storeSample(context, backup, archive);
    const differences = new DifferenceList(run);
    const walked = await walkOnce(context, { backup, archive, differences });
    if (!walked.isDone) {
      await commit([setRun(context, { walk: walked, ...differences.attributes })]);
      return 'again';
    }
    compareWithIndex(run, { archive, walked, differences });
    return await conclude(context, { backup, archive, walked, differences });
  } finally {
    open.close();
  }
};

interface Compared {
  readonly backup: BackupRecord;
  readonly archive: Archive;
  readonly differences: DifferenceList;
}

/** Stores the sample before anything is read of it, so that later steps use the same. */
export const storeSample = async (context: RunContext, backup: BackupRecord, archive: Archive): Promise<RunProgress> => {
  const { run } = context;
  const documentsPerCollection = run.scope.documentsPerCollection ?? 1;
  const sample = await drawSample(archive, rangesOf(backup), { seed: run.id, documentsPerCollection });
  await commit([setRun(context, { sample: JSON.stringify(sample.paths), totalDocuments: sample.paths.length })]);
  return 'again';
};

export const rangesOf = ({ collections, excludedCollections }: BackupRecord) => scopeOf(collections, excludedCollections);

const walkOnce = async (context: RunContext, { backup, archive, differences }: Compared): Promise<WalkState> => {
  const { run, deadline } = context;
  const sample = run.sample === undefined ? undefined : new Set(JSON.parse(run.sample) as string[]);
  const options = {
    archive,
    ranges: rangesOf(backup),
    wants: sample && ((path: string) => sample.has(path)),
    signal: AbortSignal.timeout(Math.max(1_000, deadline.getTime() - context.deps.clock.now().getTime() + 120_000)),
    isOver: heartbeat(context, archive),
  };
  const before = run.walk ?? newWalk;
  if (before.stopped !== undefined) return walkDocuments({ ...options, report: ignore }, before, ignore);
  return run.target
    ? compareWithTarget(context, { options, before, differences })
    : compareWithSource(context, { options, before, backup, differences });
};

const beatSeconds = 10;

/** Stores the progress now and then. True once the time is up, the test was cancelled or the run has moved on. */
const heartbeat = (context: RunContext, archive: Archive): WalkOptions['isOver'] => {
  const { tenant, run, deps, deadline } = context;
  let next = after(deps.clock.now(), beatSeconds);
  const totalDocuments = run.totalDocuments ?? archive.manifest.counts.documents;
  return async ({ documents }) => {
    const now = deps.clock.now();
    if (now >= deadline) return true;
    if (now < next) return false;
    next = after(now, beatSeconds);
    const found = await get(restoreTestKey.run(tenant, run.id));
    if (found?.phase !== run.phase || found.attempt !== run.attempt || found.cancelRequestedAt !== undefined) return true;
    await commit([setRun(context, { totalDocuments, progressDocuments: documents })]);
    return false;
  };
};

const conclude = (
  context: RunContext,
  { backup, archive, walked, differences }: Compared & { readonly walked: WalkState },
): Promise<RunProgress> => {
  const { run } = context;
  const { manifest } = archive;
  const collections = (JSON.parse(walked.collections) as unknown[]).length;
  const attributes: Partial<RunRecord> = {
    walk: walked,
    ...differences.attributes,
    totalDocuments: run.totalDocuments ?? manifest.counts.documents,
    readTime: manifest.readTime,
    counts: {
      objects: manifest.objects.length,
      collections,
      documents: walked.documents,
      authUsers: manifest.counts.users,
      decoded: walked.decoded,
      bytes: walked.bytes,
    },
    comparisons: comparisonsOf(run, archive, { walked, differences }),
    digests: { manifest: digestOf(backup), documents: walked.digest },
  };
  if (differences.total > 0) {
    const [first] = differences.items;
    const message = `${differences.total} differences were found; the first: ${first?.path}: ${first?.message}`;
    return concludeWith(context, { code: 'DIFFERENCES_FOUND', message, details: { total: differences.total } }, attributes);
  }
  const documentsWritten = run.documentsWritten ?? 0;
  if (run.target && documentsWritten !== walked.documents) {
    const message = `The test wrote ${documentsWritten} documents to the target, although ${walked.documents} are in its scope`;
    const details = { documentsWritten, documents: walked.documents };
    return concludeWith(context, { code: 'COUNT_MISMATCH', message, details }, attributes);
  }
  if (walked.stoppedBy !== undefined) {
    const message = `The archive is intact, but it was not compared with the source. ${walked.stopped}`;
    return concludeWith(context, { code: walked.stoppedBy, message }, attributes);
  }
  const next = run.target ? (run.settings.check ? 'checking' : 'removing') : 'recording';
  return enterPhase(context, { phase: next, attributes });
};

/** In hex; the record has it as base64url. */
const digestOf = ({ manifestDigest: digest }: BackupRecord): string | null =>
  digest === undefined ? null : Buffer.from(digest, 'base64url').toString('hex');
