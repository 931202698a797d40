/** Where the state of point-in-time recovery and its batches are kept. Every key begins with the tenant. */
import type { ObjectEntry } from '../../archive/index.ts';
import type { Item, Key, Tenant } from '../../platform/index.ts';

/** A complete backup that changes are added to. */
export interface Base {
  readonly backupId: string;
  /** The one moment it shows. */
  readonly readTime: string;
  /** Up to when everything was captured as it was taken: batches that end later are sealed under its key, or a later base's. */
  readonly since: string;
  /** Something of it was found damaged since: moments are made of the base before, and another one is made. */
  readonly isDamaged?: true;
}

export interface Gap {
  readonly from: string;
  /** Null while it lasts. */
  readonly to: string | null;
  readonly reason: string;
  /** Collection ids; all of them if left out, none if they are not known: the source has documents that none of ours is. */
  readonly collections?: readonly string[];
  /** Only the moments within are unknown, neither end is: what follows needs no new base. */
  readonly isBridged?: true;
  /** Of one that lasts, of some collections (or of more than are named): since when they are captured. A base that shows a later moment ends it. */
  readonly heardFrom?: string;
}

/** A stretch of time, its beginning not included, of which only some collections are known to be whole. */
export interface Unchecked {
  readonly from: string;
  readonly to: string;
  /** Those that were listened to: the first ones. */
  readonly collections: readonly string[];
}

/** A stretch of time, both ends known, in which nobody listened all the time: what came and went within it is not known. */
export interface Sampled {
  readonly from: string;
  readonly to: string;
}

export interface PitrRecord extends Item {
  readonly projectId: string;
  readonly status: 'disabled' | 'starting' | 'active';
  readonly retentionDays: number;
  /** After it was made less: for how long things are kept all the same, and until when. */
  readonly keptDays?: { readonly days: number; readonly until: string } | undefined;
  readonly captureIntervalSeconds: number;
  readonly precision: 'second' | 'interval';
  readonly storageDestination: { readonly id: string; readonly name: string; readonly type: 's3' | 'gcs' | 'spaces' };
  readonly enabledAt: string | null;
  /** Oldest first. The first is the one that the earliest moment is restored from. */
  readonly bases: readonly Base[];
  /** How much documents take in the last of them, and what was stored of changes since it was taken. */
  readonly baseBytes?: number;
  readonly bytesSinceBase?: number;
  /** The base that was asked for and is not completed yet. */
  readonly comingBaseId: string | null;
  /** When one was asked for, or failed, last; and how many failed since one was taken and a turn saved. */
  readonly baseTriedAt: string | null;
  readonly baseFailures: number;
  /** How often the place was lost since a turn went on from where another had left off. */
  readonly losses?: number | undefined;
  /** How many turns in a row failed and were put off. */
  readonly putOffs?: number | undefined;
  /** Why the last base, listen or turn failed; gone once a turn was saved. */
  readonly trouble?: string | undefined;
  /** There are more collections than can be kept track of: no base helps. */
  readonly isTooLarge?: true | undefined;
  /** By their beginnings; too many become fewer and longer. */
  readonly gaps: readonly Gap[];
  /** Up to when everything is captured, to the microsecond; null before the first base. */
  readonly capturedTo: string | null;
  /** Up to when the source's own count, or a base, vouches that the collections listened to are all there are. */
  readonly checkedAt?: string;
  /** Up to when it was counted last, whatever came of it. */
  readonly checkTriedAt?: string;
  /** The collections listened to: as many as are shown. */
  readonly known?: readonly string[] | undefined;
  /** Captured and never checked, because captures began anew before that; oldest first. */
  readonly unchecked?: readonly Unchecked[];
  /** Where only every version was looked up that was there at a whole second; oldest first. */
  readonly sampled?: readonly Sampled[];
  /** The name of the last batch. */
  readonly lastBatch?: string;
  /** What was captured before this is removed, or about to be; null as long as nothing is. */
  readonly keptFrom: string | null;
  /** When the root collections were listed last: what is not among them then did not exist. */
  readonly listedAt: string | null;
  /** The turn that is due; one more each time. A worker commits only while its turn is the one. */
  readonly turn: number;
  readonly nextTurnAt: string | null;
  readonly lastCapture: { readonly at: string; readonly changes: number; readonly reads: number } | null;
  readonly changesCaptured: number;
  readonly reads: number;
  /** What was looked up within an hour to know every second, and since when nothing more is. */
  readonly lookups?: { readonly since: string; readonly reads: number; readonly spentAt?: string };
  /** How many items the tokens are in; one if left out. */
  readonly tokenItems?: number;
  readonly createdBy: { readonly type: string; readonly id: string };
  /** When captures began last; before that a base was waited for. */
  readonly begunAt?: string;
  /** The outage that was told of last, by when it began. */
  readonly stoppedTold?: string;
  /** The destination of which was told last that objects stay in it which nothing needs any more. */
  readonly objectsKeptIn?: string;
}

/** Where each collection group was left off; in one transaction, so that all of them move on at once with what was captured. */
export interface TokensRecord extends Item {
  /** JSON text, because customers choose the ids: what `encodePositions` makes of them. */
  readonly groups: string;
}

/** A batch of changes, stored and confirmed: an object of its own folder, sealed under the data key of a base backup. */
export interface BatchRecord extends Item {
  readonly id: string;
  /** The name of the one captured before it, wherever that ended: null only of a project's first. */
  readonly previous: string | null;
  /** The changes are of after this moment, */
  readonly from: string;
  /** and up to this one. */
  readonly to: string;
  /** Whether every whole second between is known, not only its end. */
  readonly isProven: boolean;
  /** Of one that is not proven: up to when some collections were heard, whose seconds behind its end are not known either. */
  readonly heardTo?: string;
  readonly path: string;
  readonly storageDestinationId: string;
  /** The backup whose data key, and archive identity, it is sealed under. */
  readonly keyBackupId: string;
  readonly chunk: ObjectEntry;
  /** Versions of documents, and deletions. */
  readonly changes: number;
  readonly reads: number;
  /** The ids of the collections that changed, as JSON text. */
  readonly collections: string;
}

/** That an object of a batch may be stored which no batch knows of: it is kept until the batch is, or the object is gone. */
export interface UploadRecord extends Item {
  readonly id: string;
  readonly path: string;
  readonly storageDestinationId: string;
  readonly since: string;
}

/** For the watch: that a project is captured, or something of it is kept. */
export interface CapturingRecord extends Item {
  readonly organizationId: string;
  readonly projectId: string;
  /** When what is too old is removed next. */
  readonly forgetAt: string;
}

export const pitrPrefix = 'PITR#';
export const batchPrefix = 'BATCH#';
export const uploadPrefix = 'UPLOAD#';
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
  /** In the order of time. */
  batch: (tenant: Tenant, projectId: string, to: string, batchId: string): Key<BatchRecord> => ({
    pk: work(tenant, projectId),
    sk: `${batchPrefix}${to}#${batchId}`,
  }),
  upload: (tenant: Tenant, projectId: string, batchId: string): Key<UploadRecord> => ({
    pk: work(tenant, projectId),
    sk: `${uploadPrefix}${batchId}`,
  }),
  capturing: (tenant: Tenant, projectId: string): Key<CapturingRecord> => ({
    pk: capturingPartition,
    sk: `${tenant.organizationId}#${projectId}`,
  }),
};
