import type { ObjectEntry } from '../object/object-writer.ts';
import type { PageEntry } from '../page/index-writer.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What a backup consists of. It is written last: until it is stored there is no backup, and its digest names the backup for ever. */
export interface Manifest {
  readonly formatVersion: 2;
  /** What a reader must be able to do; one that does not know a word here must refuse the archive. */
  readonly requiredFeatures: readonly string[];
  readonly organization: string;
  readonly project: string;
  readonly backup: string;
  /** The backup that this one was compared with, if it is incremental. */
  readonly parent: string | null;
  /** The database, `projects/{id}/databases/{id}`. */
  readonly source: string;
  /** RFC 3339 in UTC, to the nanosecond if need be: the one moment that all of it shows. */
  readonly readTime: string;
  /** Over all that the index covers. */
  readonly counts: { readonly documents: number; readonly tombstones: number; readonly users: number };
  /** Documents by collection id. Ids and not paths, so that 100,000 subcollections do not make 100,000 lines. */
  readonly collections: readonly { readonly id: string; readonly documents: number }[];
  /** This backup's objects, and the chunks of earlier backups in which its index finds records. */
  readonly objects: readonly ObjectEntry[];
  /** The upper level of the index: its pages in the order of names. */
  readonly pages: readonly PageEntry[];
  /** What the writer wants to remember; of no meaning to the format. */
  readonly notes: { readonly [key: string]: Json };
}

/** Features this code can read; format version 2 began without any. */
export const knownFeatures: readonly string[] = [];
