import type { FilterEntry } from '../filter/filter-directory.ts';
import type { ObjectEntry } from '../object/object-writer.ts';
import type { PageEntry } from '../page/index-writer.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Lists the contents of a backup. It is written last: a backup exists once its manifest is stored, and the digest of the manifest
 * identifies it.
 */
export interface Manifest {
  readonly formatVersion: 2;
  /** Features a reader must support; it must reject the archive if one is unknown. */
  readonly requiredFeatures: readonly string[];
  readonly organization: string;
  readonly project: string;
  readonly backup: string;
  readonly parent: string | null;
  /** The database: `projects/{id}/databases/{id}`. */
  readonly source: string;
  /** The snapshot time of the whole backup: RFC 3339 in UTC with up to nanosecond precision. */
  readonly readTime: string;
  readonly counts: { readonly documents: number; readonly tombstones: number; readonly users: number };
  /** Document counts by collection id, not path: 100,000 subcollections must not make 100,000 entries. */
  readonly collections: readonly { readonly id: string; readonly documents: number }[];
  /** Objects of this backup, and chunks of earlier backups that its index references. */
  readonly objects: readonly ObjectEntry[];
  /** Filters of these chunks; absent in backups without any. Not among the objects, of which older readers know no such kind. */
  readonly filters?: readonly FilterEntry[] | undefined;
  /** The upper level of the index: its pages in name order. */
  readonly pages: readonly PageEntry[];
  /** Free-form notes of the writer; ignored by the format. */
  readonly notes: { readonly [key: string]: Json };
}

/** Everything that is stored for a backup, except its manifest, its key and its erasures. */
export const storedObjects = ({ objects, filters = [] }: Pick<Manifest, 'objects' | 'filters'>): readonly ObjectEntry[] =>
  filters.length === 0 ? objects : [...objects, ...filters];

/** Supported features; format version 2 started with none. */
export const knownFeatures: readonly string[] = [];
