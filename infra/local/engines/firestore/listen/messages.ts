import { documentName } from '../base/document-name.ts';
import { type Micros, type RpcError, status } from '../base/types.ts';
import { proto, timestampOf } from '../proto/codecs.ts';
import type { StoredDatabase } from '../storage/database.ts';
import { bloomFilter } from './bloom-filter.ts';
import { resumeToken } from './resume-token.ts';
import type { ViewChange } from './target-view.ts';

type TargetChange = NonNullable<Parameters<typeof proto.ListenResponse.encode>[0]['targetChange']>;

export const targetChange = (
  targetChangeType: 'NO_CHANGE' | 'ADD' | 'REMOVE' | 'CURRENT' | 'RESET',
  targetIds: readonly number[],
  more: Omit<TargetChange, 'targetChangeType' | 'targetIds'> = {},
): Uint8Array => proto.ListenResponse.encode({ targetChange: { targetChangeType, targetIds, ...more } });

/** Removes a target with an error. */
export const refused = (id: number, error: RpcError): Uint8Array =>
  targetChange('REMOVE', [id], { cause: { code: status[error.code], message: error.message } });

export const current = (id: number, at: Micros): Uint8Array =>
  targetChange('CURRENT', [id], { readTime: timestampOf(at), resumeToken: resumeToken(at) });

/** All targets have received everything up to this time. */
export const marker = (at: Micros): Uint8Array =>
  targetChange('NO_CHANGE', [], { readTime: timestampOf(at), resumeToken: resumeToken(at) });

/** The number of a target's documents. `names` adds a Bloom filter, for clients that sent their own count. */
export const existenceFilter = (
  targetId: number,
  { count, names }: { readonly count: number; readonly names: readonly string[] | undefined },
): Uint8Array => proto.ListenResponse.encode({ filter: { targetId, count, unchangedNames: names && bloomFilter(names) } });

/** The message for one document of a target. */
export const documentMessage = (
  change: ViewChange,
  { id, database, at }: { readonly id: number; readonly database: StoredDatabase; readonly at: Micros },
): Uint8Array => {
  if (change.kind === 'changed')
    return proto.ListenResponse.encode({ documentChange: { document: change.document.bytes, targetIds: [id] } });
  if (change.kind === 'unmatched')
    return proto.ListenResponse.encode({ documentChange: { document: change.document.bytes, removedTargetIds: [id] } });
  const gone = { document: documentName(database, change.path), removedTargetIds: [id], readTime: timestampOf(at) };
  return proto.ListenResponse.encode(change.kind === 'deleted' ? { documentDelete: gone } : { documentRemove: gone });
};
