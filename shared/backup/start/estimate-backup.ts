/** Estimates what a backup would read, store and cost. */
import type * as z from 'zod/mini';
import { type ProtobufTimestamp, parseMoment } from '../../archive/index.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Estimate } from '../../contract/models/backup.ts';
import {
  type DocumentBatch,
  type FirestoreDatabase,
  planRanges,
  type ReadPlan,
  readRange,
  SourceError,
} from '../../firestore/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { openSource, type ProjectRecord, projectReadPrice } from '../../project/index.ts';
import { type BackupRecord, costOf } from '../../stored-backup/index.ts';
import { missingCollections } from '../model/missing-collections.ts';
import type { StartBackupOptions } from '../model/start-options.ts';
import { estimateReads } from '../steps/plan-backup.ts';
import { probeReads } from '../steps/prepare-backup.ts';

/** The function times out after 20 s. */
const timeoutMs = 15_000;
/** Documents sampled for their size, from several ranges, because neighbours are similar. */
const sampleDocuments = 50;
const sampleRanges = 5;
/** Small, because every document sent is billed. */
const sampleBytes = 16 << 10;

/** Of an incremental backup, the bytes are those of sampled documents written since its parent. */
export const estimateBackup = async (
  tenant: Tenant,
  {
    project,
    options,
    parent,
    isBuilt = false,
    builtFromReason,
  }: {
    readonly project: ProjectRecord;
    readonly options: Pick<StartBackupOptions, 'collections' | 'excludeCollections'>;
    readonly parent?: Pick<BackupRecord, 'readTime'> | undefined;
    /** It would be built from captured changes. */
    readonly isBuilt?: boolean;
    /** Why it would not, although changes are captured. */
    readonly builtFromReason?: string | undefined;
  },
): Promise<z.input<typeof Estimate>> => {
  const source = openSource(tenant, project);
  const signal = AbortSignal.timeout(timeoutMs);
  const since = parent && parseMoment(parent.readTime ?? '');
  try {
    const planned = await planRanges(source, { ...options, signal });
    const { documents, ranges, collections, unknown } = planned;
    const missing = missingCollections(options.collections, unknown);
    if (missing) throw new ApiError('COLLECTION_NOT_FOUND', missing.message, missing.details);
    const { billing } = source;
    const price = projectReadPrice(project);
    const builtFrom = isBuilt ? ('changes' as const) : ('source' as const);
    const shown = {
      builtFrom,
      ...(builtFromReason !== undefined && { builtFromReason }),
      readUnit: price.unit,
      shards: ranges.length,
      collections: [...collections],
      unknownCollections: [...unknown],
    };
    if (documents === undefined) return { documents: null, bytes: null, reads: null, estimatedUsd: null, ...shown };
    const sampled = documents === 0 ? { all: 0, since: 0 } : await bytesPerDocument(source, { planned, since, signal });
    const bytes = Math.round(documents * sampled.since);
    const ifRead = costOf(
      estimateReads(planned, { billing, bytes: Math.round(documents * sampled.all) }) ?? planned.reads,
      price.usdPerMillion,
    );
    if (!isBuilt) return { documents, bytes, ...ifRead, ...shown };
    // The count of all documents is billed to the capture, which counts anyway.
    const built = costOf(probeReads, price.usdPerMillion);
    return { documents, bytes, ...built, costIfRead: ifRead, ...shown };
  } catch (error) {
    throw toApiError(error);
  } finally {
    source.close();
  }
};

const bytesPerDocument = async (
  source: FirestoreDatabase,
  {
    planned: { ranges, readTime },
    since,
    signal,
  }: { readonly planned: ReadPlan; readonly since: ProtobufTimestamp | undefined; readonly signal: AbortSignal },
): Promise<{ readonly all: number; readonly since: number }> => {
  let [documents, all, changed] = [0, 0, 0];
  const step = Math.max(1, Math.floor(ranges.length / sampleRanges));
  const sampled = ranges.filter((_, n) => n % step === 0).slice(0, sampleRanges);
  for (const [n, range] of sampled.entries()) {
    // Later ranges make up for earlier ones that had too few documents.
    const wanted = (sampleDocuments * (n + 1)) / sampled.length;
    for await (const batch of readRange(source, { range, readTime, signal, batchBytes: sampleBytes })) {
      documents += batch.count;
      all += batch.documentBytes;
      changed += since ? bytesSince(batch, since) : batch.documentBytes;
      if (documents >= wanted) break;
    }
  }
  return documents === 0 ? { all: 0, since: 0 } : { all: all / documents, since: changed / documents };
};

const bytesSince = (batch: DocumentBatch, { seconds, nanos }: ProtobufTimestamp): number => {
  let bytes = 0;
  for (let i = 0; i < batch.count; i++) {
    const { start, end, updatedSeconds, updatedNanos } = batch.at(i);
    if (updatedSeconds > seconds || (updatedSeconds === seconds && updatedNanos > nanos)) bytes += end - start;
  }
  return bytes;
};

const toApiError = (error: unknown): unknown => {
  if (!(error instanceof SourceError)) return error;
  const cause = { cause: error };
  if (error.code === 'SOURCE_AUTH_ERROR') return new ApiError('SOURCE_AUTH_ERROR', error.message, undefined, cause);
  if (error.code === 'CANCELLED' || error.isTransient)
    return new ApiError('SERVICE_UNAVAILABLE', 'The source takes too long to respond. Try again', undefined, cause);
  return error;
};
