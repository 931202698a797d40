/** Items of point-in-time recovery. Every key begins with the tenant. */
import type { ObjectEntry } from '../../archive/index.ts';
import type { StorageType } from '../../contract/storage-types.ts';
import type { Item, Key, Tenant } from '../../platform/index.ts';
import type { JobCreator } from '../../stored-backup/index.ts';

/** A complete backup that captured changes build on. */
export interface Base {
  readonly backupId: string;
  readonly readTime: string;
  /** `capturedTo` when it became a base: batches that end later are encrypted with its key, or that of a later base. */
  readonly since: string;
  /** Absent if it was read from the source. */
  readonly builtFrom?: 'changes';
  /** Since when every document was read from the source, if it was built. */
  readonly auditedSince?: string;
  /** It was found damaged: restores use the base before, and a new one is made. */
  readonly isDamaged?: true;
}

export interface Gap {
  readonly from: string;
  /** Null while it is open. */
  readonly to: string | null;
  readonly reason: string;
  /** The first affected collection ids. Absent: all collections. Empty: unknown collections, whose documents the source has counted. */
  readonly collections?: readonly string[];
  /** The number of affected collections, if `collections` lacks some of them. */
  readonly count?: number;
  /** The items that hold all affected ids (`GapListRecord`); absent if `collections` does. */
  readonly lists?: readonly string[];
  /** Its collections are at the root, where others are always known. */
  readonly isAtRoot?: true;
  /** Both ends are known, only the moments between are not: no new base is needed. */
  readonly isBridged?: true;
  /** Bridged, and nothing changed from one known moment to the next: a restore uses its start. */
  readonly isQuiet?: true;
  /** For an open gap of some collections: they are captured from here on. A base with a later read time closes the gap. */
  readonly heardFrom?: string;
}

/** A period, without its start, in which only these collections are known to be complete. */
export interface Unchecked {
  readonly from: string;
  readonly to: string;
  /** The first of the captured collections, and how many there were. */
  readonly collections: readonly string[];
  readonly count?: number | undefined;
}

/** A period between two known moments, both exclusive, without continuous listening. */
export interface Sampled {
  readonly from: string;
  readonly to: string;
}

/** Between two moments, the last audit of the documents and this one, both exclusive, captured documents may differ from the source. */
export interface Divergence {
  readonly from: string;
  readonly to: string;
  /** How many documents differed. */
  readonly documents: number;
  /** The first of their collection ids, and how many there are. */
  readonly collections: readonly string[];
  readonly count: number;
}

export interface PitrRecord extends Item {
  readonly projectId: string;
  readonly status: 'disabled' | 'starting' | 'active';
  readonly retentionDays: number;
  /** After `retentionDays` was reduced: the days that still apply, and until when. */
  readonly keptDays?: { readonly days: number; readonly until: string } | undefined;
  readonly captureIntervalSeconds: number;
  readonly precision: 'second' | 'interval';
  /** Within so many days every document is read again; records of earlier versions have the default. */
  readonly auditDays?: number | undefined;
  readonly storageDestination: { readonly id: string; readonly name: string; readonly type: StorageType };
  readonly enabledAt: string | null;
  /** Oldest first. The earliest restorable moment builds on the first. */
  readonly bases: readonly Base[];
  /** Size of the documents in the last base, and of the batches stored since. */
  readonly baseBytes?: number;
  readonly bytesSinceBase?: number;
  /** The requested base that is not in use yet. */
  readonly comingBaseId: string | null;
  /** When a base was last requested or failed, and how many failed since the last committed cycle on a base. */
  readonly baseTriedAt: string | null;
  readonly baseFailures: number;
  /** While a base is needed that cannot start yet: not before this time. */
  readonly baseDueAt?: string | undefined;
  /** The last requested base whose own moment could not be proven, how many there were in a row, and when another is requested. */
  readonly unprovenBase?: { readonly backupId: string; readonly times: number; readonly retryAt: string } | undefined;
  /** What was captured differs from the source: the next base is read. Removed when a read one follows. */
  readonly mustReadBase?: true | undefined;
  /** How often the resume position was lost since a cycle continued another. */
  readonly losses?: number | undefined;
  /** Cycles that failed and were postponed in a row. */
  readonly putOffs?: number | undefined;
  /** Error of the last base, listen or cycle; removed by a committed cycle. */
  readonly trouble?: string | undefined;
  /** The project has more collections than can be captured: a new base does not help. */
  readonly isTooLarge?: true | undefined;
  /** By start. If they are too many, the oldest are merged. */
  readonly gaps: readonly Gap[];
  /** Everything up to here is captured, to the microsecond; null before the first base. */
  readonly capturedTo: string | null;
  /** Up to here the source's count, or a base, proves that no collection is missing. */
  readonly checkedAt?: string;
  /** Up to here it was last counted, whatever the result. */
  readonly checkTriedAt?: string;
  /** When a restore of a moment that was not counted yet was refused: the next cycle counts. */
  readonly countRequestedAt?: string | undefined;
  /** A backup waits for that count: it is made whatever it costs, a thousandth of what the backup would read. */
  readonly isCountUrgent?: true | undefined;
  /** The longest time between two counts since captures began: a collection that existed for less may be undetected. */
  readonly countSpacingSeconds?: number | undefined;
  /** The first of the captured collections, and how many there are. */
  readonly known?: readonly string[] | undefined;
  readonly knownCount?: number | undefined;
  /** Captured, but never checked before captures began again; oldest first. */
  readonly unchecked?: readonly Unchecked[];
  /** Not proven: documents that were created and deleted within may be missing. Oldest first. */
  readonly sampled?: readonly Sampled[];
  /** Periods without continuous listening, proven or not. A backup read within has documents whose deletion may be unknown. */
  readonly interrupted?: readonly Sampled[];
  /** Reads made within an hour to prove seconds of interruptions. */
  readonly pastReads?: { readonly since: string; readonly reads: number };
  /** The name of the last batch. */
  readonly lastBatch?: string | undefined;
  /** Moments at which a restore may differ from what the source had: the audit found differences. Oldest first. */
  readonly diverged?: readonly Divergence[] | undefined;
  /** When the next step of the audit is due; absent before the first. */
  readonly auditDueAt?: string;
  /** Within so many days the audit reads everything as the budget of reads allows; null while it allows nothing. */
  readonly auditPaceDays?: number | null;
  /** Captures before this are deleted, or about to be; null if none are. */
  readonly keptFrom: string | null;
  /** When the root collections were last listed. */
  readonly listedAt: string | null;
  /** The number of the due cycle. A worker commits only while its cycle is the due one. */
  readonly turn: number;
  readonly nextTurnAt: string | null;
  readonly lastCapture: { readonly at: string; readonly changes: number; readonly reads: number } | null;
  readonly changesCaptured: number;
  readonly reads: number;
  /** The list price of what a listener is sent, as of the last capture; absent in records of earlier versions. */
  readonly usdPerMillionReads?: number;
  /** Look-ups made within an hour to prove every second, and when their budget was spent. */
  readonly lookups?: { readonly since: string; readonly reads: number; readonly spentAt?: string };
  /** Reads for counts on the last day (UTC) with any. */
  readonly countReads?: { readonly date: string; readonly reads: number };
  /** Number of token items; absent means one. */
  readonly tokenItems?: number;
  readonly createdBy: JobCreator;
  /** When captures last began on a base. */
  readonly begunAt?: string;
  /** Start of the last reported stall. */
  readonly stoppedTold?: string;
  /** The last destination for which it was audited that expired objects could not be deleted. */
  readonly objectsKeptIn?: string;
  /** Until when a base and the batches that build on it are locked, by backup id. */
  readonly lockedBases?: Readonly<Record<string, string>>;
  /** Why their locks end earlier than the window they serve. */
  readonly lockProblem?: string | undefined;
}

/** Resume positions of collection groups, updated in the transaction that stores a batch. */
export interface TokensRecord extends Item {
  /** JSON text from `encodePositions`: customers choose the ids. */
  readonly groups: string;
}

/** A stored batch of changes: one object in a folder of its own, encrypted with the data key of a base backup. */
export interface BatchRecord extends Item {
  readonly id: string;
  /** The batch that it completes: documents that were found later. Of both together, the later change of a document counts. */
  readonly partOf?: string | undefined;
  /**
   * A correction by the audit: what the source had at this moment. From then on it counts, whenever the documents were written, and never
   * before a later change.
   */
  readonly asOf?: string | undefined;
  /** The name of the batch before it; null for a project's first. */
  readonly previous: string | null;
  /** Changes after this moment, */
  readonly from: string;
  /** up to this one. */
  readonly to: string;
  /** Every whole second between is known, not only the end. */
  readonly isProven: boolean;
  /** If not proven: some collections were captured up to here, beyond `to`, without knowing each second. */
  readonly heardTo?: string | undefined;
  readonly path: string;
  readonly storageDestinationId: string;
  /** The backup whose data key and archive identity the batch is encrypted with. */
  readonly keyBackupId: string;
  readonly chunk: ObjectEntry;
  /** Versions and deletions of documents. */
  readonly changes: number;
  readonly reads: number;
  /** The ids of the changed collections, as JSON text. */
  readonly collections: string;
}

/** The rolling audit of a project: which ranges of names were last read and compared when. */
export interface CaptureAuditRecord extends Item {
  readonly projectId: string;
  /** The number of steps begun. A worker commits only the step that it began. */
  readonly turn: number;
  /** A step that began ends by then, or its worker has died. */
  readonly leasedUntil?: string | undefined;
  /** Where the next step starts; absent: with the first name. */
  readonly next?: string | undefined;
  /** JSON text from `encodeSlices`: customers choose the names. */
  readonly slices: string;
  /** The current day of the audit: when it ends, and what was read in it. */
  readonly dayEndsAt: string;
  readonly documentsToday: number;
  readonly readsToday: number;
  /** Since captures were first audited. */
  readonly documents: number;
  readonly reads: number;
  readonly differences: number;
  readonly lastAt: string | null;
  /** Steps that failed in a row, or could not begin, and why the last one did. */
  readonly failures?: number | undefined;
  readonly trouble?: string | undefined;
}

/** A document that differed from what was captured of it. */
export interface DivergedRecord extends Item {
  readonly id: string;
  readonly path: string;
  /** When its range was last read before, and when it was read. */
  readonly from: string;
  readonly to: string;
  /** The version that was captured and the one of the source; null if there is no document. */
  readonly captured: AuditedVersion | null;
  readonly source: AuditedVersion | null;
  readonly ttl: number;
}

export interface AuditedVersion {
  readonly updateTime: string;
  /** Of the encoded document. */
  readonly sha256: string;
}

/** An upload that may leave an orphaned object. Deleted with the commit of its batch, or with the object. */
export interface UploadRecord extends Item {
  readonly id: string;
  readonly path: string;
  readonly storageDestinationId: string;
  readonly since: string;
}

/** Collection ids of a gap. Stored before the cycle that opens the gap commits: without a gap that names it, it is orphaned. */
export interface GapListRecord extends Item {
  /** JSON text of the ids: customers choose them. */
  readonly ids: string;
  readonly since: string;
}

/** For the watchdog: a project with captures, enabled or not. */
export interface CapturingRecord extends Item {
  readonly organizationId: string;
  readonly projectId: string;
  /** When captures are next expired. */
  readonly forgetAt: string;
}

export const pitrPrefix = 'PITR#';
export const batchPrefix = 'BATCH#';
export const uploadPrefix = 'UPLOAD#';
export const gapListPrefix = 'GAP#';
export const divergedPrefix = 'DIVERGED#';
export const capturingPartition = 'DUE#CAPTURE';
const work = (tenant: Tenant, projectId: string): string => `PITR#${tenant.organizationId}#${projectId}`;

export const pitrKey = {
  pitr: (tenant: Tenant, projectId: string): Key<PitrRecord> => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `${pitrPrefix}${projectId}`,
  }),
  tokens: (tenant: Tenant, projectId: string, n = 0): Key<TokensRecord> => ({
    pk: work(tenant, projectId),
    sk: n === 0 ? 'TOKENS' : `TOKENS#${n}`,
  }),
  /** Sorts by time. */
  batch: (tenant: Tenant, projectId: string, { to, id }: Pick<BatchRecord, 'to' | 'id'>): Key<BatchRecord> => ({
    pk: work(tenant, projectId),
    sk: `${batchPrefix}${to}#${id}`,
  }),
  upload: (tenant: Tenant, projectId: string, batchId: string): Key<UploadRecord> => ({
    pk: work(tenant, projectId),
    sk: `${uploadPrefix}${batchId}`,
  }),
  gapList: (tenant: Tenant, projectId: string, listId: string): Key<GapListRecord> => ({
    pk: work(tenant, projectId),
    sk: `${gapListPrefix}${listId}`,
  }),
  audit: (tenant: Tenant, projectId: string): Key<CaptureAuditRecord> => ({ pk: work(tenant, projectId), sk: 'AUDIT' }),
  /** Sorts by time. */
  diverged: (tenant: Tenant, projectId: string, divergedId: string): Key<DivergedRecord> => ({
    pk: work(tenant, projectId),
    sk: `${divergedPrefix}${divergedId}`,
  }),
  capturing: (tenant: Tenant, projectId: string): Key<CapturingRecord> => ({
    pk: capturingPartition,
    sk: `${tenant.organizationId}#${projectId}`,
  }),
};
