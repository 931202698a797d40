/** Erasures, and what one would hide, for people. */
import type { DataOf } from '../../../shared/client/index.ts';
import { escapeName } from '../../archive/escape-output.ts';
import { formatCount, formatCounted, formatMinute, formatTime } from './format.ts';
import type { Detail } from './output.ts';
import type { Column } from './render-table.ts';
import { statusStyle } from './status-style.ts';

type Erasure = DataOf<'GET /projects/{projectId}/erasures/{erasureId}'>;
type Preview = DataOf<'POST /projects/{projectId}/erasures/preview'>;

export const erasureColumns: readonly Column<Erasure>[] = [
  { title: 'ERASURE', value: ({ id }) => id },
  { title: 'CREATED (UTC)', value: ({ createdAt }) => formatMinute(createdAt), optional: 2 },
  { title: 'STATUS', value: ({ status }) => status, style: ({ status }) => statusStyle(status) },
  { title: 'WHAT', value: (erasure) => whatOf(erasure), flexible: true },
  { title: 'REASON', value: ({ reason }) => reason, flexible: true, optional: 1 },
];

export const erasureDetails = (erasure: Erasure): readonly Detail[] => [
  ['Erasure', erasure.id],
  ['Status', erasure.status, statusStyle(erasure.status)],
  ['What', whatOf(erasure)],
  ['Subcollections', erasure.includeSubcollections ? 'included' : 'kept'],
  ['Reason', erasure.reason],
  ['Documents found', erasure.documentsFound === null ? 'searching' : formatCount(erasure.documentsFound)],
  ['Last held by', erasure.lastHeldBackupId],
  ['Expired', formatTime(erasure.expiredAt)],
  ['Copies beside the backups', erasure.copies],
  ['Created', formatTime(erasure.createdAt)],
  ['Created by', erasure.createdBy?.email ?? erasure.createdBy?.type],
];

const whatOf = ({ query, pathCount }: Pick<Erasure, 'query' | 'pathCount'>): string =>
  query ? `${query.collection ?? '*'}.${query.field} = …` : formatCounted(pathCount, 'path');

/** What an erasure would hide in the newest backup. */
export function* previewLines({ backupId, readTime, documents, paths, complete }: Preview): Generator<string> {
  if (backupId === null) {
    yield 'There is no completed backup to search. An erasure applies to captured changes, and to backups that are imported later';
    return;
  }
  const where = `the newest backup, ${backupId} of ${formatTime(readTime)}`;
  const part = complete ? '' : '. It lacks collections, or is too large to search all of it now';
  if (documents === 0) yield `No document ${complete ? 'matches' : 'was found yet'} in ${where}${part}. Check the spelling`;
  else {
    yield `${complete ? '' : 'At least '}${formatCounted(documents, 'document')} in ${where}${part}:`;
    for (const path of paths) yield `  ${escapeName(path)}`;
    if (documents > paths.length) yield `  and ${formatCount(documents - paths.length)} more`;
  }
  yield 'Versions in other backups and in captured changes are hidden, too';
}
